import { assignmentProblem, SHOWABLE_NAMES } from '../environment.ts'
import { UNKNOWN } from '../fields.ts'
import { type Judging, named, object } from '../judging.ts'
import { MOST_TIMEOUT_SECONDS } from '../limits.ts'

/** `env NAME=value... COMMAND` and `printenv NAME`: the whole environment is never shown. */
export function envRule(judging: Judging): void {
  const { operands } = judging.arguments
  if (judging.verb.names.includes('printenv')) {
    const hidden = operands.find((field) => !field.known || !SHOWABLE_NAMES.test(field.text))
    if (operands.length === 0)
      object(judging, 'whole environment', judging.text, ['shows the whole environment', 'look'])
    else if (hidden)
      object(judging, 'whole environment', named(judging, hidden), ['may show a password or key', 'look'])
    return
  }
  let at = 0
  for (; at < operands.length; at++) {
    const field = operands[at]
    const equals = field?.text.indexOf('=') ?? -1
    if (field === undefined || equals <= 0) break
    const name = field.text.slice(0, equals)
    if (name.includes(UNKNOWN)) break
    const value = field.known ? field.text.slice(equals + 1) : undefined
    const problem = assignmentProblem(name, value, true)
    if (problem !== undefined) object(judging, 'steering names', named(judging, field), problem)
  }
  const command = operands.slice(at)
  if (command.length === 0) object(judging, 'whole environment', judging.text, ['shows the whole environment', 'look'])
  else judging.wrapped.look(command, { words: 'certain', input: judging.input })
}

/** `timeout SECONDS COMMAND`. */
export function timeoutRule(judging: Judging): void {
  const [duration, ...command] = judging.arguments.operands
  const seconds = secondsOf(duration?.text ?? '')
  if (duration === undefined || seconds === undefined || seconds <= 0 || seconds > MOST_TIMEOUT_SECONDS) {
    object(judging, 'long timeout', judging.text, [`may run for more than ${MOST_TIMEOUT_SECONDS} seconds`, 'endless'])
  }
  if (command.length === 0) object(judging, 'bare wrapper', judging.text, 'has no command')
  else judging.wrapped.look(command, { words: 'certain', input: judging.input, bounded: true })
}

function secondsOf(text: string): number | undefined {
  const match = /^(\d{1,6}(?:\.\d{1,6})?)([smh]?)$/.exec(text)
  if (match === null) return undefined
  return Number(match[1]) * (match[2] === 'h' ? 3600 : match[2] === 'm' ? 60 : 1)
}

/** `xargs COMMAND`: the words it adds come from input and may be anything, options too. */
export function xargsRule(judging: Judging): void {
  const { operands } = judging.arguments
  if (operands.length > 0) judging.wrapped.look(operands, { words: 'data', input: false })
}
