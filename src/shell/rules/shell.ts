import { assignmentProblem } from '../environment.ts'
import { NOTHING_KNOWN } from '../fields.ts'
import { type Judging, named, object } from '../judging.ts'
import { resolveFrom } from '../paths.ts'
import { setVariable } from '../scope.ts'

const NAME = /^[A-Za-z_]\w*$/
/** Most numbers that `seq` may print. */
const MOST_NUMBERS = 100_000

/** Keeps track of the working directory, so that relative names of secrets and devices are seen. */
export function cdRule(judging: Judging): void {
  const { scope } = judging
  const [target, further] = judging.fields.filter((field) => !/^-[LPe@]+$|^--$/.test(field.text))
  scope.moved = true
  if (target === undefined) scope.directory = '~'
  else if (!target.known || further !== undefined || target.text === '-') scope.directory = undefined
  else scope.directory = resolveFrom(scope.directory ?? '', target.text)
}

/** `export NAME` (assignments are looked at where they are read, see command.ts). */
export function exportRule(judging: Judging): void {
  for (const field of judging.arguments.operands) {
    if (!field.known || !NAME.test(field.text)) {
      object(judging, 'unclear name', named(judging, field), 'is no plain name')
      continue
    }
    const problem = assignmentProblem(field.text, undefined, true)
    if (problem !== undefined) object(judging, 'steering names', named(judging, field), problem)
  }
  if (judging.fields.length === 0 && !/=/.test(judging.text)) {
    object(judging, 'whole environment', judging.text, ['shows the whole environment', 'look'])
  }
}

/** `read NAME...`: an index in a name would run code. */
export function readRule(judging: Judging): void {
  for (const field of judging.arguments.operands) {
    if (!field.known || !NAME.test(field.text)) {
      object(judging, 'unclear name', named(judging, field), 'is no plain name; an index in it would run code')
      continue
    }
    const problem = assignmentProblem(field.text, undefined, false)
    if (problem !== undefined) object(judging, 'steering names', named(judging, field), problem)
    setVariable(judging.scope, field.text, NOTHING_KNOWN)
  }
}

/** `set -e`, `set -o pipefail`; a bare `set` shows every variable, operands replace the arguments. */
export function setRule(judging: Judging): void {
  const { operands, options } = judging.arguments
  if (options.length === 0 || operands.length > 0) {
    object(judging, 'whole environment', judging.text, ['shows every variable or changes the arguments', 'look'])
  }
}

/** The format is known and its widths are small: `printf '%0999999999d'` would not end. */
export function printfRule(judging: Judging): void {
  const [format] = judging.arguments.operands
  if (format === undefined) return
  if (!format.known) {
    object(
      judging,
      'unknown format',
      named(judging, format),
      'has a format that is not known; use printf \'%s\\n\' "$x"',
    )
  } else if (/%[^a-zA-Z%]*(?:\*|\d{4,})/.test(format.text)) {
    object(judging, 'endless format', named(judging, format), ['has a width that may never end', 'endless'])
  }
}

/** All bounds are known and the count is small. */
export function seqRule(judging: Judging): void {
  const numbers = judging.fields.filter((field) => /^-?[\d.]/.test(field.text)).map((field) => Number(field.text))
  const [first = 1, second, third] = numbers.length === 1 ? [1, numbers[0]] : numbers
  const [last = first, step] = third === undefined ? [second, 1] : [third, Math.abs(second ?? 1)]
  const unclear = judging.arguments.operands.some((field) => !Number.isFinite(Number(field.text)) || field.text === '')
  if (unclear || !(Math.abs(last - first) / step <= MOST_NUMBERS)) {
    object(judging, 'endless numbers', judging.text, [`may print more than ${MOST_NUMBERS} numbers`, 'endless'])
  }
}
