import { type Judging, named, object } from '../judging.ts'

/** The filter of `jq`, or of `gh --jq`, must be known and hold neither the environment nor other code. */
export function jqRule(judging: Judging): void {
  const { operands, options } = judging.arguments
  if (!judging.verb.names.includes('jq')) {
    for (const option of options) {
      if (option.name !== 'q' && option.name !== 'jq') continue
      const problem = option.value === undefined || !option.value.known ? UNKNOWN_FILTER : jqProblem(option.value.text)
      if (problem !== undefined) object(judging, 'jq filter', judging.text, problem)
    }
    return
  }
  if (options.some((option) => ['h', 'help', 'V', 'version'].includes(option.name))) return
  const [filter] = operands
  if (filter === undefined) {
    if (!judging.input) object(judging, 'jq filter', judging.text, 'has no filter')
    return
  }
  const problem = filter.known ? jqProblem(filter.text) : UNKNOWN_FILTER
  if (problem !== undefined) object(judging, 'jq filter', named(judging, filter), problem)
  // With -n nothing is read, unless the filter asks for it.
  if (operands.length === 1 && !judging.input && /\binputs?\b/.test(filter.text)) {
    object(judging, 'waiting for input', judging.text, [
      'waits for standard input; give it a file or a pipe',
      'endless',
    ])
  }
}

const UNKNOWN_FILTER = ['has a filter that is not known; write it in single quotes', 'act'] as const
const ENVIRONMENT = ['shows the environment', 'look'] as const
const LOADS = ['loads code', 'act'] as const
const ENDLESS = ['may never end', 'endless'] as const
const REFUSED_WORDS: Readonly<Record<string, readonly [string, 'look' | 'act' | 'endless']>> = {
  env: ENVIRONMENT,
  $ENV: ENVIRONMENT,
  import: LOADS,
  include: LOADS,
  modulemeta: LOADS,
  get_search_list: LOADS,
  repeat: ENDLESS,
  until: ENDLESS,
  while: ENDLESS,
}

/** Why a jq filter is not read-only, or `undefined`. Strings are skipped, the code inside `\(...)` is not. */
export function jqProblem(filter: string): readonly [string, 'look' | 'act' | 'endless'] | undefined {
  /** Brackets open inside each interpolation; a string goes on when its interpolation closes. */
  const interpolations: number[] = []
  let inString = false
  let depth = 0
  for (let at = 0; at < filter.length; at++) {
    const sign = filter[at] ?? ''
    if (inString) {
      if (sign === '\\' && filter[at + 1] === '(') {
        interpolations.push(depth)
        inString = false
        at++
      } else if (sign === '\\') at++
      else if (sign === '"') inString = false
    } else if (sign === '"') inString = true
    else if (sign === '#') return ['has a comment; leave it out', 'act']
    else if (sign === '(') depth++
    else if (sign === ')') {
      if (interpolations.length > 0 && interpolations.at(-1) === depth) {
        interpolations.pop()
        inString = true
      } else depth--
    } else if (/[A-Za-z_$]/.test(sign)) {
      const word = /^\$?\w*/.exec(filter.slice(at, at + 300))?.[0] ?? sign
      const field = sign !== '$' && filter[at - 1] === '.'
      const problem = field ? undefined : REFUSED_WORDS[word]
      if (problem !== undefined) return problem
      at += Math.max(1, word.length) - 1
    }
  }
  return undefined
}
