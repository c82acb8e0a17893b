import { type CommandNode, parse, type Redirection, type Statement, type Word } from 'unbash'
import { MOST_CHARACTERS } from './limits.ts'

/** One simple command in which every word is what it says: no variable, substitution or pattern. */
export interface LiteralCommand {
  readonly name: string
  /** The words behind the name, quotes removed; files that are read by `<` too. */
  readonly words: readonly string[]
  /** It reads what the command before it prints. */
  readonly piped: boolean
}

/**
 * The simple commands of a script, in order, when it holds nothing else: joined by `|`, `&&`, `||`, `;` or newlines,
 * standard output left where it is. Undefined for everything that is more than that.
 */
export function literalCommands(script: string): readonly LiteralCommand[] | undefined {
  if (script.length > MOST_CHARACTERS) return undefined
  const { commands, errors } = parse(script)
  if (errors !== undefined && errors.length > 0) return undefined
  const found: LiteralCommand[] = []
  return commands.every((statement) => addStatement(statement, found)) ? found : undefined
}

function addStatement({ background, command }: Statement, found: LiteralCommand[]): boolean {
  if (background) return false
  const parts = command.type === 'AndOr' ? command.commands : [command]
  return parts.every((part) => {
    if (part.type !== 'Pipeline') return addCommand(part, false, found)
    return part.prefixes.length === 0 && part.commands.every((node, at) => addCommand(node, at > 0, found))
  })
}

function addCommand(node: CommandNode, piped: boolean, found: LiteralCommand[]): boolean {
  if (node.type !== 'Command' || node.name === undefined || node.prefix.length > 0) return false
  const name = literal(node.name)
  if (name === undefined) return false
  const words: string[] = []
  for (const part of node.suffix) {
    const word = part.type === 'Word' ? literal(part) : part.type === 'Assignment' ? part.text : redirected(part)
    if (word === undefined) return false
    if (word !== '') words.push(word)
  }
  found.push({ name, words, piped })
  return true
}

/** The file that is read; nothing for what only drops or joins standard error; undefined for the rest. */
function redirected(node: Redirection): string | undefined {
  if (node.type !== 'Redirect') return undefined
  const target = node.target === undefined ? undefined : literal(node.target)
  const channel = node.descriptor?.type === 'FileDescriptor' ? node.descriptor.value : undefined
  if (node.operator === '<') return node.descriptor === undefined ? target : undefined
  const drops = node.operator === '>' && target === '/dev/null'
  return channel === 2 && (drops || (node.operator === '>&' && target === '1')) ? '' : undefined
}

function literal(word: Word): string | undefined {
  const plain = word.parts?.every(
    (part) =>
      part.type === 'Literal' ||
      part.type === 'SingleQuoted' ||
      part.type === 'AnsiCQuoted' ||
      (part.type === 'DoubleQuoted' && part.parts.every((child) => child.type === 'Literal')),
  )
  return plain === false || word.value.startsWith('~') ? undefined : word.value
}
