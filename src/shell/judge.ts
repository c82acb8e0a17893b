import { type Field, UNKNOWN, withText } from './fields.ts'
import { type Inquiry, refuse } from './inquiry.ts'
import { type Judging, named, object, type WrappedLook } from './judging.ts'
import { effectOfUnknown } from './looks.ts'
import { type Arguments, readArguments } from './options.ts'
import { deviceProblem, isEndlessDirectory, resolveFrom, secretProblem } from './paths.ts'
import { RULES } from './rules/index.ts'
import type { Scope } from './scope.ts'
import type { OperandRule, Verb } from './verb.ts'

export interface VerbUse {
  readonly inquiry: Inquiry
  readonly scope: Scope
  readonly name: string
  readonly fields: readonly Field[]
  readonly input: boolean
  readonly text: string
  readonly wrapped: WrappedLook
}

/** Looks at one use of a verb of the table. */
export function judgeVerb(verb: Verb, use: VerbUse): void {
  if (verb.exactly !== undefined) judgeExactly(verb, verb.exactly, use)
  else judgeFrom(verb, use.name, use.fields, use)
}

function judgeExactly(verb: Verb, words: readonly string[], use: VerbUse): void {
  const [only] = use.fields
  if (use.fields.length === 1 && only?.known && words.includes(only.text)) return
  const why = `runs \`${verb.names[0]}\`; only \`${verb.names[0]} ${words[0]}\` is a glance`
  refuse(use.inquiry, 'exact words', use.text, why, effectOfUnknown(use.name, use.fields))
}

function judgeFrom(verb: Verb, path: string, fields: readonly Field[], use: VerbUse): void {
  if (verb.verbs !== undefined && judgeSubVerb(verb, verb.verbs, path, fields, use)) return
  const read = readArguments(verb.oldLetters === undefined ? fields : withDash(fields, verb.oldLetters), verb.options)
  const judging = judgingOf(verb, path, read, use, fields)
  checkOptions(judging, read)
  if (verb.operands !== undefined) for (const rule of verb.operands) checkOperands(judging, rule)
  checkInput(judging)
  checkFiles(judging)
  const { requires } = verb
  if (requires !== undefined && !hasOption(read, requires.options))
    object(judging, `needed ${path}`, use.text, requires.why)
  if (verb.rules !== undefined) for (const rule of verb.rules) RULES[rule](judging)
}

/** `tar tf FILE` as `tar -tf FILE`. */
function withDash(fields: readonly Field[], letters: RegExp): readonly Field[] {
  const [first, ...rest] = fields
  if (first === undefined || !first.known || !letters.test(first.text)) return fields
  return [withText(first, `-${first.text}`), ...rest]
}

function judgingOf(verb: Verb, path: string, read: Arguments, use: VerbUse, fields = use.fields): Judging {
  const { inquiry, scope, input, text, wrapped } = use
  return { inquiry, scope, verb, path, fields, arguments: read, input, text, wrapped }
}

/** True when a sub-verb was found and looked at, or refused. */
function judgeSubVerb(
  verb: Verb,
  verbs: readonly Verb[],
  path: string,
  fields: readonly Field[],
  use: VerbUse,
): boolean {
  // The options before the sub-verb are the verb's own.
  const before = readArguments(fields, stopping(verb))
  const [first] = before.operands
  if (first === undefined) {
    if (verb.bare === 'itself') return false
    const judging = judgingOf(verb, path, before, use)
    checkOptions(judging, before)
    object(judging, 'bare verb', use.text, verb.bare ?? 'needs a verb that only looks')
    return true
  }
  const found = first.known ? subVerbsOf(verb, verbs).get(first.text) : undefined
  if (found !== undefined) {
    if (before.options.length > 0 || before.problems.length > 0)
      checkOptions(judgingOf(verb, path, before, use), before)
    judgeFrom(found, `${path} ${first.text}`, before.operands.slice(1), use)
    return true
  }
  const refused = first.known ? verb.refusedVerbs?.[first.text] : undefined
  if (refused === undefined && verb.bare === 'itself' && path !== use.name && isOperandSafe(verb, first)) return false
  const judging = judgingOf(verb, path, before, use)
  checkOptions(judging, before)
  const subject = `${path} ${first.source}`
  if (refused !== undefined) object(judging, `verbs of ${path}`, subject, refused)
  else {
    const effect = effectOfUnknown(path, before.operands)
    refuse(use.inquiry, `verbs of ${path}`, subject, 'is not known to be read-only', effect)
  }
  return true
}

/** `git reflog main`, `git notes`: the operand of a verb that also has sub-verbs. It must be certain not to be one. */
function isOperandSafe(verb: Verb, first: Field): boolean {
  return verb.options.numbers === true && (first.known || !first.text.startsWith(UNKNOWN))
}

const subVerbTables = new WeakMap<Verb, ReadonlyMap<string, Verb>>()
function subVerbsOf(verb: Verb, verbs: readonly Verb[]): ReadonlyMap<string, Verb> {
  const known = subVerbTables.get(verb)
  if (known !== undefined) return known
  const table = new Map(verbs.flatMap((sub) => sub.names.map((name) => [name, sub] as const)))
  subVerbTables.set(verb, table)
  return table
}

const stoppingTables = new WeakMap<Verb, Verb['options']>()
function stopping(verb: Verb): Verb['options'] {
  if (verb.options.stopsAtOperand) return verb.options
  const known = stoppingTables.get(verb)
  if (known !== undefined) return known
  const table = { ...verb.options, stopsAtOperand: true as const }
  stoppingTables.set(verb, table)
  return table
}

function hasOption(read: Arguments, names: readonly string[]): boolean {
  return read.options.some((option) => names.includes(option.name))
}

function checkOptions(judging: Judging, read: Arguments): void {
  for (const problem of read.problems) {
    const subject = `${judging.path} ${problem.subject}`
    const guard = problem.kind === 'dynamic' ? 'dynamic words' : (`options of ${judging.path}` as const)
    refuse(judging.inquiry, guard, subject, problem.why, problem.effect)
  }
  const { optionValues } = judging.verb
  if (optionValues === undefined) return
  for (const option of read.options) {
    const rule = optionValues[option.name]
    if (rule === undefined || option.value === undefined || rule.matching.test(option.value.text)) continue
    object(judging, `values of ${judging.path}`, `${judging.path} ${option.value.source}`, rule.why)
  }
}

/** How many operands there are at most: words that may split or match files count as many. */
function countOperands(operands: readonly Field[]): number {
  return operands.reduce((count, field) => count + (field.mayVary || field.glob ? Number.POSITIVE_INFINITY : 1), 0)
}

function checkOperands(judging: Judging, rule: OperandRule): void {
  const { operands, options } = judging.arguments
  if (rule.unless !== undefined && options.some((option) => rule.unless?.includes(option.name))) return
  const { matching } = rule
  const far = rule.most !== undefined && countOperands(operands) > rule.most
  const checked = rule.at === undefined ? operands : operands.slice(rule.at, rule.at + 1)
  const offending = far
    ? (operands[rule.most ?? 0] ?? operands[0])
    : matching && checked.find((field) => !matching.test(field.text))
  if (offending !== undefined) object(judging, `operands of ${judging.path}`, named(judging, offending), rule.why)
}

function checkInput(judging: Judging): void {
  const rule = judging.verb.input
  if (rule === undefined || judging.input) return
  const { operands, options } = judging.arguments
  let used = 0
  let excused = false
  for (const { name } of options) {
    if (rule.replacing?.includes(name)) used = 1
    if (rule.unless?.includes(name)) excused = true
  }
  const dash = judging.verb.shows && operands.some((field) => field.text === '-')
  if ((excused || operands.length >= rule.operands - used) && !dash) return
  if (judging.fields.some((field) => field.text === '--help' || field.text === '--version')) return
  object(judging, 'waiting for input', judging.text, ['waits for standard input; give it a file or a pipe', 'endless'])
}

function checkFiles(judging: Judging): void {
  const { verb, arguments: read } = judging
  if (verb.walks !== undefined) checkWalk(judging)
  if (!verb.shows) return
  const replacing = verb.input?.replacing
  let first = verb.textFirst ? 1 : 0
  for (const { name, value } of read.options) {
    const isText = replacing?.includes(name) === true
    if (isText) first = 0
    // A pattern or a program is no file; a file of patterns is.
    if (value !== undefined && (!isText || name === 'f' || name === 'file')) checkFile(judging, value)
  }
  for (let at = first; at < read.operands.length; at++) {
    const field = read.operands[at]
    if (field !== undefined) checkFile(judging, field)
  }
}

/** No secrets and no devices among the words of a verb that shows what is in files. */
function checkFile(judging: Judging, field: Field): void {
  if (field.alternatives === undefined) checkPath(judging, field, field.text)
  else for (const text of field.alternatives) checkPath(judging, field, text)
}

function checkPath(judging: Judging, field: Field, text: string): void {
  const path = resolveFrom(judging.scope.directory, text)
  const secret = secretProblem(path)
  if (secret !== undefined) object(judging, 'secret files', named(judging, field), [secret, 'look'])
  const device = deviceProblem(path, judging.input) ?? deviceProblem(text, judging.input)
  if (device !== undefined) object(judging, 'devices', named(judging, field), [device, 'endless'])
}

function checkWalk(judging: Judging): void {
  const { verb, arguments: read, scope } = judging
  const walks = verb.walks === 'always' || (verb.walks !== undefined && hasOption(read, verb.walks))
  if (!walks) return
  const places = read.operands.map((field) => resolveFrom(scope.directory, field.text))
  const here = scope.directory !== undefined && read.operands.length < 2 ? [scope.directory] : []
  const endless = [...places, ...here].find((path) => isEndlessDirectory(path))
  if (endless === undefined) return
  object(judging, 'endless folders', judging.text, [
    'reads files that never end; name a folder of the project',
    'endless',
  ])
}
