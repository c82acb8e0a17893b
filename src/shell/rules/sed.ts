import { type Field, UNKNOWN } from '../fields.ts'
import { type Judging, object } from '../judging.ts'

/** The script must be known and hold no command that writes, reads or runs something else. */
export function sedRule(judging: Judging): void {
  const { operands, options } = judging.arguments
  const expressions = options.filter((option) => option.name === 'e' || option.name === 'expression')
  const asks = options.some((option) => option.name === 'version' || option.name === 'help')
  if (asks) return
  const scripts = expressions.length > 0 ? expressions.map((option) => option.value) : [operands[0]]
  const texts: string[] = []
  for (const script of scripts) {
    if (script === undefined) object(judging, 'sed script', judging.text, 'has no script')
    else if (!isReadable(script)) {
      object(
        judging,
        'sed script',
        `${judging.path} ${script.source}`,
        'has a script that is not known; write it in single quotes',
      )
    } else texts.push(script.text.replaceAll(UNKNOWN, '1'))
  }
  // sed joins its -e scripts with newlines, so that text may run on from one into the next.
  const problem = sedProblem(texts.join('\n'))
  if (problem !== undefined) object(judging, 'sed commands', judging.text, problem)
}

function isReadable(script: Field): boolean {
  return script.known || (script.plain && !script.mayVary && !script.glob)
}

const READS_ON = "has a sed script that is not certain to be read-only; use `sed -n '1,20p'` or `s/a/b/`"
const WRITES: Readonly<Record<string, string>> = {
  w: 'writes a file (`w`)',
  W: 'writes a file (`W`)',
  e: 'runs a command (`e`)',
  r: 'reads another file (`r`)',
  R: 'reads another file (`R`)',
}
/** Delimiters without a meaning in regular expressions. */
const DELIMITERS = '/|,#:@!%_;~='

/** Why a sed script is not read-only, or `undefined`. One pass, linear. */
export function sedProblem(script: string): string | undefined {
  let at = 0
  const end = script.length

  const skipBlanks = (signs: string): void => {
    while (at < end && signs.includes(script[at] ?? '')) at++
  }

  /** Reads to the delimiter; false when the two ways to read brackets differ or it is not closed. */
  const readTo = (delimiter: string, isRegex: boolean): boolean => {
    while (at < end) {
      const sign = script[at]
      if (sign === '\\') {
        if (script[at + 1] === '\n' && isRegex) return false
        at += 2
      } else if (sign === delimiter) {
        at++
        return true
      } else if (sign === '\n') return false
      else if (sign === '[' && isRegex) {
        const after = bracketEnd(script, at, delimiter)
        if (after === undefined) return false
        at = after
      } else at++
    }
    return false
  }

  /** An address: a number, `$`, `/re/`, `\cREc`, with `~step`, `+n`. */
  const readAddress = (): boolean => {
    const sign = script[at]
    if (sign === '$') at++
    else if (sign === '/' || sign === '\\') {
      const delimiter = sign === '/' ? '/' : (script[at + 1] ?? '')
      at += sign === '/' ? 1 : 2
      if (!DELIMITERS.includes(delimiter) || delimiter === '' || !readTo(delimiter, true)) return false
      skipBlanks('IM')
    } else {
      const number = /^[+~]?\d+(?:~\d+)?/.exec(script.slice(at, at + 40))
      if (number === null) return false
      at += number[0].length
    }
    return true
  }

  while (true) {
    skipBlanks(' \t\n;}')
    if (at >= end) return undefined
    if (script[at] === '#') {
      at = lineEnd(script, at)
      continue
    }
    const addressAt = at
    if (/[\d$/\\]/.test(script[at] ?? '')) {
      if (!readAddress()) return READS_ON
      skipBlanks(' \t')
      if (script[at] === ',') {
        at++
        skipBlanks(' \t')
        if (!readAddress()) return READS_ON
      }
    }
    skipBlanks(' \t!')
    const command = script[at] ?? ''
    at++
    const problem = WRITES[command]
    if (problem !== undefined) return problem
    if (command === '{') continue
    if (command === 's' || command === 'y') {
      const delimiter = script[at] ?? ''
      at++
      if (delimiter === '' || !DELIMITERS.includes(delimiter)) return READS_ON
      if (!readTo(delimiter, command === 's') || !readTo(delimiter, false)) return READS_ON
      if (command === 's') {
        skipBlanks('gpiIm0123456789M')
        const flag = WRITES[script[at] ?? '']
        if (flag !== undefined) return flag
      }
    } else if ('aic'.includes(command)) {
      // The text runs to the end of the line; only at the end of the script is it certain where that is.
      if (script.includes('\n', at)) return READS_ON
      return undefined
    } else if (':btT'.includes(command) && command !== '') {
      const label = /^[ \t]*[A-Za-z0-9_]*/.exec(script.slice(at, at + 80))?.[0] ?? ''
      // `$!ba` ends with the input; any other jump to a label may go round for ever.
      const ends = script.slice(addressAt, at).replaceAll(/[ \t]/g, '') === '$!b'
      if (command === 'b' && label.trim() !== '' && !ends) return 'may loop for ever (`b`)'
      at += label.length
    } else if ('lLqQ'.includes(command) && command !== '') {
      skipBlanks(' \t0123456789')
    } else if (!('=dDgGhHnNpPxzF'.includes(command) && command !== '')) return READS_ON
    skipBlanks(' \t')
    if (at < end && !'\n;}#'.includes(script[at] ?? '')) return READS_ON
  }
}

function lineEnd(script: string, from: number): number {
  const newline = script.indexOf('\n', from)
  return newline < 0 ? script.length : newline
}

/**
 * Where a bracket expression ends. Old seds end a pattern at a delimiter inside brackets, new ones do not: brackets
 * with a delimiter are read the new way when nothing else in them is unclear, and refused otherwise.
 */
function bracketEnd(script: string, open: number, delimiter: string): number | undefined {
  let at = open + 1
  if (script[at] === '^') at++
  let unclear = false
  let delimited = false
  for (let first = true; at < script.length; first = false) {
    const sign = script[at]
    if (sign === '\n') return undefined
    if (sign === ']' && !first) return unclear && delimited ? undefined : at + 1
    if (sign === '[' && /[:.=]/.test(script[at + 1] ?? '')) {
      const close = script.indexOf(`${script[at + 1]}]`, at + 2)
      if (close < 0 || close - at > 20 || script.slice(at, close).includes(delimiter)) return undefined
      at = close + 2
      continue
    }
    if (sign === '[' || sign === ']') unclear = true
    if (sign === '\\') {
      if (script[at + 1] === ']' || script[at + 1] === '\\') return undefined
      // An escaped delimiter is one character of the set either way.
      at += script[at + 1] === delimiter ? 2 : 1
      continue
    }
    if (sign === delimiter) delimited = true
    at++
  }
  return undefined
}
