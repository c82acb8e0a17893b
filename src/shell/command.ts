import type { Assignment, Command, Redirection } from 'unbash'
import { assignmentProblem } from './environment.ts'
import { type Field, type Knowledge, knownValues, NOTHING_KNOWN, UNKNOWN, withText } from './fields.ts'
import { refuse } from './inquiry.ts'
import { judgeVerb } from './judge.ts'
import type { InnerManner, WrappedLook } from './judging.ts'
import { MOST_COMMANDS, MOST_DEPTH } from './limits.ts'
import { effectOfUnknown } from './looks.ts'
import type { Ran } from './producers.ts'
import { checkRedirections } from './redirections.ts'
import { setVariable } from './scope.ts'
import type { Verb } from './verb.ts'
import { verbNamed } from './verbs/table.ts'
import { expandAssigned, expandInto, expandWord, type Place } from './words.ts'

const PLAIN_NAME = /^(?:[A-Za-z][\w.+-]*|\[|:)$/
const SYSTEM_PATH = /^(?:\/usr(?:\/local)?)?\/s?bin\/([A-Za-z][\w.+-]*|\[)$/
const SHELL_CODE = /\$\(|`|\$\{|\$\[/

/** Looks at one simple command: assignments, redirections, the name, the words. Returns what was run. */
export function checkCommand(node: Command, source: string, place: Place, piped: boolean): Ran | undefined {
  const { inquiry } = place
  inquiry.commands++
  const text = source.slice(node.pos, node.end)
  if (inquiry.commands > MOST_COMMANDS) refuse(inquiry, 'commands', text, `is more than ${MOST_COMMANDS} commands`)
  const redirections = redirectionsOf(node)
  const input = (redirections.length > 0 && checkRedirections(redirections, source, place)) || piped
  const exported: string[] = []
  const name = node.name === undefined ? undefined : nameOf(node, place)
  for (const part of node.prefix) {
    if (part.type !== 'Assignment') continue
    // `IFS= read` changes how this one line is split, and nothing else.
    if (part.name === 'IFS' && name === 'read' && part.value.type === 'Word') expandAssigned(part.value, place)
    else exported.push(assign(part, place, node.name !== undefined))
  }
  if (node.name === undefined) return undefined

  const testing = name === 'test' || name === '[' ? { ...place, testing: true } : place
  const fields: Field[] = []
  for (const part of node.suffix) {
    if (part.type === 'Word') expandInto(fields, part, testing)
    else if (part.type === 'Assignment') assignArgument(part, name, fields, place)
  }
  if (name === undefined) return undefined
  const verb = verbNamed(name)
  if (verb?.strictEnvironment) checkStrictly(exported, text, place)
  judgeNamed(verb, name, fields, { place, input, text, nested: false, bounded: false })
  return { name, fields, input, separated: node.prefix.some((part) => part.type === 'Assignment') }
}

const NO_REDIRECTIONS: readonly Redirection[] = []

function redirectionsOf(node: Command): readonly Redirection[] {
  let found: Redirection[] | undefined
  for (const parts of [node.prefix, node.suffix]) {
    for (const part of parts) {
      if (part.type === 'Word' || part.type === 'Assignment') continue
      found ??= []
      found.push(part)
    }
  }
  return found ?? NO_REDIRECTIONS
}

/** `A=1 ls`: `A` is exported to `ls`. `A=1`: a variable of the shell. Returns the name when its value is unusual. */
function assign(node: Assignment, place: Place, exported: boolean): string {
  const { inquiry, scope } = place
  if (node.index !== undefined) refuse(inquiry, 'computed index', node.text, 'evaluates its index as code')
  let knowledge: Knowledge = NOTHING_KNOWN
  let value: string | undefined
  if (node.value.type === 'ArrayValue') {
    for (const element of node.value.elements) {
      if (element.text.startsWith('[')) refuse(inquiry, 'computed index', node.text, 'evaluates an index as code')
      expandWord(element, place)
    }
  } else {
    const field = expandAssigned(node.value, place)
    if (field.known) {
      value = field.text
      knowledge = knownValues([field.text])
    } else knowledge = knowledgeOf(field)
    if (SHELL_CODE.test(field.text)) refuse(inquiry, 'code in a value', node.text, 'holds shell code in a value')
  }
  const problem = assignmentProblem(node.name, value, exported)
  if (problem !== undefined) refuse(inquiry, 'steering names', node.text, problem)
  if (!exported) setVariable(scope, node.name, node.append ? NOTHING_KNOWN : knowledge)
  const harmless =
    problem === undefined &&
    /^(?:LC_[A-Z]+|LANG|LANGUAGE|TZ|COLUMNS|LINES|NO_COLOR|CLICOLOR|FORCE_COLOR|CI|[A-Z_]*PAGER|GIT_[A-Z_]+|GH_[A-Z_]+|TERM)$/.test(
      node.name,
    )
  return harmless ? '' : node.name
}

function knowledgeOf(field: Field): Knowledge {
  if (field.alternatives !== undefined) return knownValues(field.alternatives)
  return {
    values: undefined,
    dashFree: !field.mayBeOption && !field.text.startsWith('-'),
    whole: field.whole && !field.glob && !/[\s*?[\\]/.test(field.text),
    numeric: field.plain && field.text === UNKNOWN,
  }
}

/** Words such as `A=b` after the name: assignments for `export`, plain words for all others. */
function assignArgument(node: Assignment, name: string | undefined, fields: Field[], place: Place): void {
  if (name === 'export') {
    assign(node, place, true)
    setVariable(place.scope, node.name, NOTHING_KNOWN)
    return
  }
  if (node.value.type === 'ArrayValue' || node.index !== undefined) {
    refuse(place.inquiry, 'unnamed construct', node.text, 'assigns an array in an argument')
    return
  }
  const value = expandAssigned(node.value, place)
  const before = `${node.name}${node.append ? '+' : ''}=`
  fields.push(withText(value, before + value.text))
}

function checkStrictly(exported: readonly string[], text: string, place: Place): void {
  const unusual = exported.find((name) => name !== '')
  if (unusual === undefined) return
  refuse(place.inquiry, 'strict environment', text, `exports ${unusual} to a program that may read it; leave it out`)
}

function nameOf(node: Command, place: Place): string | undefined {
  const word = node.name
  if (word === undefined) return undefined
  const plain = word.parts === undefined && word.text === word.value
  if (plain && PLAIN_NAME.test(word.text)) return word.text
  const path = plain ? SYSTEM_PATH.exec(word.text)?.[1] : undefined
  if (path !== undefined) {
    const builtin = verbNamed(path)?.builtin === true
    if (!builtin) return path
  }
  expandWord(word, place)
  const why = plain
    ? 'is not a program of the system folders; use its plain name'
    : 'hides the name of the program; write it out'
  const [first] = node.args
  const status = plain && first?.text === 'status'
  refuse(place.inquiry, 'plain names', word.text, why, status ? 'look' : 'act')
  return undefined
}

interface NamedUse {
  readonly place: Place
  readonly input: boolean
  readonly text: string
  /** Run by a wrapper, not by the shell. */
  readonly nested: boolean
  readonly bounded: boolean
}

function judgeNamed(verb: Verb | undefined, name: string, fields: readonly Field[], use: NamedUse): void {
  const { place, input, text } = use
  const { inquiry, scope } = place
  if (verb === undefined || (use.nested && verb.builtin)) {
    const effect = effectOfUnknown(name, fields)
    refuse(inquiry, 'known verbs', text, `runs \`${name}\`, which is not known to be read-only`, effect)
    return
  }
  const before = inquiry.current.refusals.length
  judgeVerb(verb, { inquiry, scope, name, fields, input, text, wrapped: new Wrapped(name, use) })
  if (!use.bounded) return
  // What a timeout ends by force still only looks.
  inquiry.current.refusals = inquiry.current.refusals.map((refusal, at) =>
    at >= before && refusal.effect === 'endless' ? { ...refusal, effect: 'look' } : refusal,
  )
}

/** What a wrapper looks at its command with. */
class Wrapped implements WrappedLook {
  private readonly wrapper: string
  private readonly use: NamedUse

  constructor(wrapper: string, use: NamedUse) {
    this.wrapper = wrapper
    this.use = use
  }

  look(words: readonly Field[], manner: InnerManner): void {
    judgeInner(words, manner, this.wrapper, this.use)
  }
}

/** The command behind `timeout`, `env`, `xargs`, `find -exec`. */
function judgeInner(words: readonly Field[], manner: InnerManner, wrapper: string, use: NamedUse): void {
  const { place, text } = use
  const [first, ...rest] = words
  const depth = place.depth + 1
  if (depth > MOST_DEPTH) {
    refuse(place.inquiry, 'depth', text, `is nested deeper than ${MOST_DEPTH}`)
    return
  }
  const path = first?.known ? (SYSTEM_PATH.exec(first.text)?.[1] ?? first.text) : undefined
  if (path === undefined || !PLAIN_NAME.test(path) || first?.source !== first?.text) {
    refuse(place.inquiry, 'plain names', text, `hides the name of the program that \`${wrapper}\` runs; write it out`)
    return
  }
  const verb = verbNamed(path)
  if (manner.words === 'data' && verb !== undefined && !takesAnything(verb)) {
    const why = `gives \`${path}\` words that may turn into options; use a loop over known names`
    refuse(place.inquiry, 'words from data', text, why)
  }
  judgeNamed(verb, path, rest, {
    place: { ...place, depth },
    // The words that the wrapper adds are files to read.
    input: manner.input || manner.words === 'data',
    text,
    nested: true,
    bounded: manner.bounded === true,
  })
}

/** Every option is harmless, and no operand does more than name what is read. */
function takesAnything(verb: Verb): boolean {
  return verb.options.harmless === true && verb.rules === undefined && verb.operands === undefined
}
