import type { CommandNode, CompoundList, For, ParsedScript, PipelineNode, Statement, SyntaxNode, While } from 'unbash'
import { forEachChild } from 'unbash'
import { checkCommand } from './command.ts'
import { checkCondition } from './conditions.ts'
import { assignmentProblem } from './environment.ts'
import { type Field, type Knowledge, knownValues, NOTHING_KNOWN } from './fields.ts'
import type { Guard } from './guards.ts'
import { type Effect, openFinding, refuse } from './inquiry.ts'
import { MOST_DEPTH, MOST_LOOP_WORDS } from './limits.ts'
import { linesOf, type Ran } from './producers.ts'
import { checkRedirections } from './redirections.ts'
import { forgetBranch, forkScope, setVariable } from './scope.ts'
import { expandWord, type Place } from './words.ts'

/** The commands of the pipeline that was looked at; what it prints is worked out where it matters. */
type Printed = readonly (Ran | undefined)[]
const PRINTS_ANYTHING: Printed = [undefined]
/** Where a command gets its standard input: not at all, or from commands. */
type Input = Printed | undefined

/** Looks at every command of a script, and tells what it prints when that is one pipeline. */
export function walkScript(script: ParsedScript, source: string, place: Place, input: Input): Printed {
  const [error] = script.errors ?? []
  if (error !== undefined) refuse(place.inquiry, 'syntax', source, `cannot be read as Bash: ${error.message}`)
  return walkStatements(script.commands, script.source ?? source, place, input)
}

/** The look into `$(...)` that words need; the substitution works on a copy of what is known. */
export function substituteWith(source: string): Place['substitute'] {
  return (script, place) => {
    const depth = place.depth + 1
    if (tooDeep(depth, source, place)) return NOTHING_KNOWN
    const inner = { ...place, depth, scope: forkScope(place.scope) }
    const innerSource = script.source ?? source
    const within = script.source === undefined ? inner : { ...inner, substitute: substituteWith(innerSource) }
    return linesOf(walkScript(script, innerSource, within, undefined), inner.scope).whole
  }
}

function tooDeep(depth: number, text: string, place: Place): boolean {
  if (depth <= MOST_DEPTH) return false
  refuse(place.inquiry, 'depth', text, `is nested deeper than ${MOST_DEPTH}`)
  return place.inquiry.current.refusals.length > 0 || depth > 4 * MOST_DEPTH
}

function walkStatements(statements: readonly Statement[], source: string, place: Place, input: Input): Printed {
  let lines = PRINTS_ANYTHING
  for (const statement of statements) {
    if (place.inquiry.settled) break
    if (statement.background) {
      refuseConstruct(statement, source, place, 'background', 'goes on in the background; leave `&` out')
    }
    lines = walkNode(statement.command, source, place, input)
  }
  return statements.length === 1 ? lines : PRINTS_ANYTHING
}

/** A construct that is refused is a part of its own. */
function refuseConstruct(
  node: SyntaxNode,
  source: string,
  place: Place,
  guard: Guard,
  why: string,
  effect: Effect = 'act',
): void {
  const text = source.slice(node.pos, node.end)
  const former = openFinding(place.inquiry, text)
  refuse(place.inquiry, guard, text, why, effect)
  place.inquiry.current = former
}

function walkNode(node: Statement['command'], source: string, place: Place, input: Input): Printed {
  if (node.type === 'AndOr') {
    walkAndOr(node.commands, node.operators, source, place, input)
    return PRINTS_ANYTHING
  }
  if (node.type === 'Pipeline') return walkPipeline(node.commands, source, place, input)
  return [walkCommand(node, source, place, input)]
}

/** What stands after `&&` or `||` may not run, so what it assigns is not certain. */
function walkAndOr(
  nodes: readonly PipelineNode[],
  operators: readonly string[],
  source: string,
  place: Place,
  input: Input,
): void {
  let branch = place.scope
  nodes.forEach((node, at) => {
    if (place.inquiry.settled) return
    if (at === 0) walkNode(node, source, place, input)
    else {
      const continuing = operators[at - 1] === '&&' ? branch : place.scope
      if (at > 1 && continuing === place.scope && branch !== place.scope) forgetBranch(place.scope, branch)
      branch = continuing === place.scope ? forkScope(place.scope) : continuing
      walkNode(node, source, { ...place, scope: branch }, input)
    }
  })
  if (branch !== place.scope) forgetBranch(place.scope, branch)
}

function walkPipeline(nodes: readonly CommandNode[], source: string, place: Place, input: Input): Printed {
  if (nodes.length === 1 && nodes[0] !== undefined) return [walkCommand(nodes[0], source, place, input)]
  const ran: (Ran | undefined)[] = []
  for (const [at, node] of nodes.entries()) {
    if (place.inquiry.settled) break
    const lines = at === 0 ? input : ran.slice()
    // Each command of a pipeline is a shell of its own.
    ran.push(walkCommand(node, source, { ...place, scope: forkScope(place.scope) }, lines))
  }
  return ran
}

function walkCommand(node: CommandNode, source: string, place: Place, input: Input): Ran | undefined {
  if (node.type === 'Command') {
    const former = openFinding(place.inquiry, source.slice(node.pos, node.end))
    const ran = checkCommand(node, source, place, input !== undefined)
    if (ran?.name === 'read') nameLines(ran, place, input)
    place.inquiry.current = former
    return ran
  }
  const inner = { ...place, depth: place.depth + 1 }
  if (tooDeep(inner.depth, source.slice(node.pos, node.end), place)) return undefined
  switch (node.type) {
    case 'Redirected': {
      const redirected = checkAround(node, source, place, () => checkRedirections(node.redirects, source, place))
      return walkCommand(node.command, source, inner, redirected ? PRINTS_ANYTHING : input)
    }
    case 'Subshell':
      walkList(node.body, source, { ...inner, scope: forkScope(place.scope) }, input)
      return undefined
    case 'BraceGroup':
      walkList(node.body, source, inner, input)
      return undefined
    case 'If':
      walkList(node.clause, source, inner, input)
      walkBranch(node.then, source, inner, input)
      for (const elif of node.elif) {
        walkBranch(elif.clause, source, inner, input)
        walkBranch(elif.then, source, inner, input)
      }
      if (node.else !== undefined) walkBranch(node.else, source, inner, input)
      return undefined
    case 'Case':
      checkAround(node, source, place, () => {
        for (const word of [node.word, ...node.items.flatMap((item) => item.pattern)]) expandWord(word, place)
      })
      for (const item of node.items) walkBranch(item.body, source, inner, input)
      return undefined
    case 'TestCommand':
      checkAround(node, source, place, () => checkCondition(node.expression, source, { ...place, testing: true }))
      return undefined
    case 'For':
      walkFor(node, source, inner, input)
      return undefined
    case 'While':
      walkWhile(node, source, inner, input)
      return undefined
    default:
      refuseConstruct(
        node,
        source,
        place,
        'unnamed construct',
        CONSTRUCTS[node.type] ?? 'is not a construct of a glance',
      )
      return undefined
  }
}

const CONSTRUCTS: Readonly<Record<string, string>> = {
  Function: 'defines a function; write the commands out',
  Coproc: 'starts a coprocess',
  Select: 'waits for a person',
  ArithmeticFor: 'counts in a loop that may never end; use `for x in 1 2 3`',
  ArithmeticCommand: 'evaluates and assigns; use `[ "$x" -gt 1 ]`',
}

/** What a construct itself expands is a part of its own, so that a refusal names it. */
function checkAround<Result>(node: SyntaxNode, source: string, place: Place, check: () => Result): Result {
  const former = openFinding(place.inquiry, source.slice(node.pos, node.end))
  const result = check()
  place.inquiry.current = former
  return result
}

function walkList(list: CompoundList, source: string, place: Place, input: Input): void {
  walkStatements(list.commands, source, place, input)
}

function walkBranch(list: CompoundList, source: string, place: Place, input: Input): void {
  const scope = forkScope(place.scope)
  walkList(list, source, { ...place, scope }, input)
  forgetBranch(place.scope, scope)
}

/** `for NAME in WORDS`: the name has one of the words as its value. */
function walkFor(node: For, source: string, place: Place, input: Input): void {
  const name = node.name.text
  checkAround(node, source, place, () => {
    const problem = assignmentProblem(name, undefined, false)
    if (problem !== undefined) refuse(place.inquiry, 'steering names', `for ${name}`, problem)
    const fields = (node.wordlist ?? []).flatMap((word) => expandWord(word, place))
    if (fields.length > MOST_LOOP_WORDS) {
      refuse(
        place.inquiry,
        'loop words',
        source.slice(node.pos, node.end),
        `loops over more than ${MOST_LOOP_WORDS} words`,
      )
    }
    forgetAssigned(node.body, place)
    setVariable(place.scope, name, node.wordlist === undefined ? NOTHING_KNOWN : loopKnowledge(fields))
  })
  walkBranch(node.body, source, place, input)
  setVariable(place.scope, name, NOTHING_KNOWN)
}

function loopKnowledge(fields: readonly Field[]): Knowledge {
  if (fields.length > 0 && fields.every((field) => field.known)) return knownValues(fields.map((field) => field.text))
  return {
    values: undefined,
    dashFree: fields.every((field) => !field.mayBeOption && !field.text.startsWith('-')),
    // A name that a pattern matched may hold blanks, and so may a quoted value.
    whole: fields.every((field) => field.whole && !field.glob && !/[\s*?[\\]/.test(field.text)),
    numeric: fields.every((field) =>
      field.known ? /^\d{1,15}$/.test(field.text) : field.plain && field.text === '\u0000',
    ),
  }
}

/** `while read`: ends with its input. Any other loop may not. */
function walkWhile(node: While, source: string, place: Place, input: Input): void {
  forgetAssigned(node.body, place)
  const [clause] = node.clause.commands
  const command = clause?.command
  const reads = command?.type === 'Command' && command.name?.text === 'read' && node.clause.commands.length === 1
  if (node.kind !== 'while' || !reads || input === undefined) {
    const constant = command?.type === 'Command' && /^(?:true|:)$/.test(command.name?.text ?? '')
    const why = 'loops until something happens; use `for x in ...`, or `while read` behind a pipe'
    refuseConstruct(node, source, place, 'open loops', why, constant ? 'endless' : 'neutral')
  }
  walkList(node.clause, source, place, input)
  walkBranch(node.body, source, place, input)
}

/** A later round of a loop sees what an earlier one assigned. */
function forgetAssigned(node: SyntaxNode, place: Place): void {
  if (node.type === 'Assignment') setVariable(place.scope, node.name, NOTHING_KNOWN)
  if (node.type === 'For') setVariable(place.scope, node.name.text, NOTHING_KNOWN)
  if (node.type === 'Command' && node.name?.text === 'cd') {
    place.scope.directory = undefined
    place.scope.moved = true
  }
  forEachChild(node, (child) => forgetAssigned(child, place))
}

/** The names that `read` fills: the first gets the first word of a line, a single one the whole line. */
function nameLines(ran: Ran, place: Place, input: Input): void {
  const names = ran.fields.filter((field) => !field.text.startsWith('-')).map((field) => field.text)
  const [first] = names
  const plain = names.length === ran.fields.filter((field) => field.text !== '-r').length
  if (!plain || input === undefined || first === undefined) return
  const lines = linesOf(input, place.scope)
  if (names.length === 1) setVariable(place.scope, first, lines.whole)
  else if (!ran.separated) setVariable(place.scope, first, lines.first)
}
