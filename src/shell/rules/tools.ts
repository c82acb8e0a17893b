import { type Judging, named, object } from '../judging.ts'

/** Keys of git's configuration that hold credentials, or whole sections. */
const CREDENTIAL_KEY = /token|passw|secret|credential|extraheader|proxy|cookie|apikey|auth|sslkey|smtp/i
const ONE_KEY = /^[A-Za-z][\w-]*\.[^\u0000]+$/

/** `git config KEY` and `git config --get... KEY`: never a value to set, never everything. */
export function gitConfigRule(judging: Judging): void {
  const { operands, options } = judging.arguments
  const getting = options.find((option) => /^get/.test(option.name))
  const urlMatch = getting?.name === 'get-urlmatch'
  const words = urlMatch && getting?.value !== undefined ? [getting.value, ...operands] : operands
  const subVerb = words[0]?.text === 'get' && getting === undefined && words.length === 2
  const [key, ...rest] = subVerb ? words.slice(1) : words
  if (key === undefined) {
    object(judging, 'git settings', judging.text, ['needs one key: `git config --get KEY`', 'look'])
    return
  }
  if (rest.length > (getting === undefined ? 0 : 1)) {
    object(judging, 'git settings', judging.text, 'writes a setting; use `git config --get KEY`')
  }
  const pattern = getting?.name === 'get-regexp'
  if (!key.known || !(pattern || ONE_KEY.test(key.text))) {
    object(judging, 'git settings', named(judging, key), 'is not one key; use `git config --get KEY`')
  } else if (CREDENTIAL_KEY.test(key.text)) {
    object(judging, 'git settings', named(judging, key), ['may show a password or key', 'look'])
  }
}

/** BSD letters of `ps`: `e` shows the environment of every process. */
export function psRule(judging: Judging): void {
  let takesValue = false
  for (const field of judging.arguments.operands) {
    const { text } = field
    if (takesValue) {
      takesValue = false
      if (!/envir/i.test(text) && !text.includes('\u0000')) continue
    } else if (/^[\d,]+$/.test(text) || (field.plain && !field.mayBeOption && !field.known)) continue
    else {
      const letters = /^[a-zA-Z]*?(?=[okOpqtU]|$)/.exec(text)?.[0] ?? ''
      const rest = text.slice(letters.length)
      const readable = field.known && /^[a-zA-Z]*$/.test(letters) && (rest === '' || /^[okOpqtU]/.test(rest))
      takesValue = rest.length === 1
      if (readable && !letters.includes('e') && !/envir/i.test(rest)) continue
    }
    object(judging, 'bsd letters', named(judging, field), [
      'may show the environment of processes; use `ps aux`',
      'look',
    ])
  }
}

const FIELD_OPTIONS = new Set(['f', 'F', 'raw-field', 'field'])

/** `gh api PATH`: fields make it a POST request, and GraphQL may change things whatever it is sent with. */
export function ghApiRule(judging: Judging): void {
  const { operands, options } = judging.arguments
  const [path] = operands
  const sent = options.filter((option) => FIELD_OPTIONS.has(option.name)).map((option) => option.value)
  if (path === undefined) {
    object(judging, 'graphql', judging.text, 'needs a path')
    return
  }
  const isGraphql = /^\/?graphql/i.test(path.text)
  // A query that is written out and no mutation only asks.
  const asks =
    isGraphql &&
    sent.every((field) => /^\w+=(?!@)[^\u0000]/.test(field?.text ?? '') && !/mutation/i.test(field?.text ?? ''))
  const effect = asks ? 'look' : 'act'
  if (isGraphql) object(judging, 'graphql', named(judging, path), ['sends a query, which may change things', effect])
  const [field] = sent
  if (field !== undefined) {
    const why = 'sends fields; put them into the address (`?per_page=5`)'
    object(judging, 'sent fields', named(judging, field), [why, effect])
  }
}

/** An archive named `host:file` is fetched over the network; without -f, tar opens a tape. */
export function tarRule(judging: Judging): void {
  const { options } = judging.arguments
  if (options.some((option) => option.name === 'version' || option.name === 'help')) return
  const archive = options.find((option) => option.name === 'f' || option.name === 'file')?.value
  if (archive === undefined) object(judging, 'remote archive', judging.text, 'opens a tape; name the archive with -f')
  else if (archive.text.includes(':') || (!archive.known && archive.text.startsWith('\u0000'))) {
    object(judging, 'remote archive', named(judging, archive), 'may fetch the archive from another machine')
  }
}
