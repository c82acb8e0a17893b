import { MOST_LOOP_WORDS } from './limits.ts'

/**
 * Expands the braces of a literal text as bash does (`a{b,c}d`, `{1..3}`, nested), or `undefined` when there would be
 * more than `MOST_LOOP_WORDS` words. Text with quotes, backslashes or `$` is not for this function.
 */
export function expandBraces(text: string): readonly string[] | undefined {
  const open = text.indexOf('{')
  if (open < 0) return [text]
  let results: string[] = ['']
  let at = 0
  while (at < text.length) {
    const next = text.indexOf('{', at)
    if (next < 0) break
    const group = groupAt(text, next)
    if (group === undefined) {
      results = results.map((result) => result + text.slice(at, next + 1))
      at = next + 1
      continue
    }
    const choices: string[] = []
    for (const choice of group.choices) {
      const expanded = expandBraces(choice)
      if (expanded === undefined) return undefined
      choices.push(...expanded)
      if (choices.length > MOST_LOOP_WORDS) return undefined
    }
    if (results.length * choices.length > MOST_LOOP_WORDS) return undefined
    const before = text.slice(at, next)
    results = results.flatMap((result) => choices.map((choice) => result + before + choice))
    at = group.end
  }
  return results.map((result) => result + text.slice(at))
}

interface Group {
  readonly choices: readonly string[]
  readonly end: number
}

function groupAt(text: string, open: number): Group | undefined {
  let depth = 0
  let start = open + 1
  const choices: string[] = []
  for (let at = open; at < text.length; at++) {
    const character = text[at]
    if (character === '{') depth++
    else if (character === ',' && depth === 1) {
      choices.push(text.slice(start, at))
      start = at + 1
    } else if (character === '}') {
      depth--
      if (depth > 0) continue
      if (choices.length > 0) return { choices: [...choices, text.slice(start, at)], end: at + 1 }
      const sequence = sequenceOf(text.slice(start, at))
      return sequence === undefined ? undefined : { choices: sequence, end: at + 1 }
    }
  }
  return undefined
}

function sequenceOf(inner: string): readonly string[] | undefined {
  const numbers = /^(-?\d{1,9})\.\.(-?\d{1,9})(?:\.\.(-?\d{1,9}))?$/.exec(inner)
  if (numbers !== null) return countFrom(Number(numbers[1]), Number(numbers[2]), Number(numbers[3] ?? 1), String)
  const letters = /^([a-zA-Z])\.\.([a-zA-Z])(?:\.\.(-?\d{1,9}))?$/.exec(inner)
  if (letters === null) return undefined
  const [first = '', last = ''] = [letters[1], letters[2]]
  return countFrom(first.charCodeAt(0), last.charCodeAt(0), Number(letters[3] ?? 1), String.fromCharCode)
}

function countFrom(first: number, last: number, step: number, show: (value: number) => string): readonly string[] {
  const stride = Math.max(1, Math.abs(step)) * (first <= last ? 1 : -1)
  const results: string[] = []
  for (let value = first; stride > 0 ? value <= last : value >= last; value += stride) {
    results.push(show(value))
    // One more than is allowed is enough for the caller to refuse.
    if (results.length > MOST_LOOP_WORDS) break
  }
  return results
}
