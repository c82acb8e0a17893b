import { type Field, UNKNOWN } from '../fields.ts'
import { type Judging, object } from '../judging.ts'

const UNARY = new Set('-a -b -c -d -e -f -g -h -k -n -o -p -r -s -t -u -w -x -z -G -L -N -O -S'.split(' '))
const BINARY = new Set('= == != < > -eq -ne -lt -le -gt -ge -nt -ot -ef'.split(' '))
const CONNECTIVE = new Set(['-a', '-o'])

/**
 * `test` and `[`: every operator is written out, so that no value can become one. `-v` and `-R` evaluate an index,
 * which runs code.
 */
export function testRule(judging: Judging): void {
  const words = judging.fields.slice()
  if (judging.path === '[') {
    if (words.pop()?.text !== ']') object(judging, 'test operators', judging.text, 'does not end with `]`')
  }
  const problem = testProblem(words)
  if (problem !== undefined) object(judging, 'test operators', judging.text, problem)
}

const UNCLEAR = 'has an operator that is not certain; quote each value and write the operators out'

function testProblem(words: readonly Field[]): string | undefined {
  const dangerous = words.some((word) => word.known && (word.text === '-v' || word.text === '-R'))
  if (dangerous) return 'evaluates an index as code (`-v`); use `[ -n "$x" ]`'
  if (words.some((word) => word.mayVary)) return 'has a value that may split into operators; quote it'
  let at = 0
  const text = (place: number): string => {
    const word = words[place]
    return word?.known ? word.text : ''
  }
  while (at < words.length) {
    while (text(at) === '!') at++
    if (BINARY.has(text(at + 1)) && at + 2 < words.length) at += 3
    else if (UNARY.has(text(at)) && at + 1 < words.length) at += 2
    else if (at === 0 && words.length === 1) return undefined
    else if (at < words.length && words[at]?.text.startsWith(UNKNOWN) === false) at += 1
    else return UNCLEAR
    if (at === words.length) return undefined
    if (!CONNECTIVE.has(text(at))) return UNCLEAR
    at++
  }
  return undefined
}
