/**
 * Long call arguments become pointers once they are old ("call arguments are the cheap win", planner.md section 6).
 * The input stays an object with all its keys (A19); paths, commands and numbers stay.
 */
import { ARGUMENT_CHARS } from '../blocks.ts'
import type { Edit, InputPath, Removed } from '../edits.ts'
import { countOf, isSpillwayText, pointerTo } from '../pointer.ts'
import { removedText } from '../removed.ts'
import { keptCalls } from '../tasks/index.ts'
import { estimateTokens } from '../tokens.ts'
import type { CallBlock, JsonValue } from '../transcript.ts'
import { addressKey, exchangesOf, turnsOf } from '../transcript.ts'
import type { Rule } from './rule.ts'

export interface ArgumentsOptions {
  /** Calls of fewer tokens stay. */
  readonly minTokens: number
  /** Calls of the newest turns stay. */
  readonly afterTurns: number
}

export const DEFAULT_ARGUMENT_TOKENS = 200
export const DEFAULT_ARGUMENT_TURNS = 20
export const DEFAULT_ARGUMENTS: ArgumentsOptions = {
  minTokens: DEFAULT_ARGUMENT_TOKENS,
  afterTurns: DEFAULT_ARGUMENT_TURNS,
}

/** What names the work stays readable: `recall` finds by it, and the model sees what was done where. */
const KEPT_KEYS = /^(command|cmd|file_?path|notebook_path|path|paths|pattern|url|query)$/i

export const callArguments: Rule<ArgumentsOptions> = (transcript, options, context) => {
  const turns = turnsOf(transcript).length
  const kept = keptCalls(transcript, context.tasks)
  return exchangesOf(transcript)
    .filter(({ call, result, turn }) => {
      const old = turns - 1 - turn >= options.afterTurns
      return old && result !== undefined && call.tokens > options.minTokens && !kept.has(addressKey(call.at))
    })
    .map(({ call }) => replacement(call))
    .filter((edit) => edit !== undefined)
}

function replacement(call: CallBlock): Edit | undefined {
  const values: { path: InputPath; text: string }[] = []
  const removed: Removed[] = []
  let frees = 0
  for (const argument of call.longArguments) {
    const key = String(argument.path.findLast((step) => typeof step === 'string') ?? '')
    const content = stringAt(call.input, argument.path)
    if (KEPT_KEYS.test(key) || isSpillwayText(content)) continue
    const facts = { at: call.at, rule: 'arguments', class: 'restorable' as const, call }
    const out = removedText(content, facts)
    // No target: the path or command stands in the same call.
    const text = pointerTo({
      ref: out.ref,
      tool: `${call.tool} ${key}`,
      size: countOf(argument.chars, 'characters'),
    })
    const freed = argument.tokens - estimateTokens(text)
    if (freed <= 0) continue
    frees += freed
    values.push({ path: argument.path, text })
    removed.push(out)
  }
  if (values.length === 0) return undefined
  return {
    kind: 'replace-arguments',
    at: call.at,
    rule: 'arguments',
    reason: `${call.tool} call holds arguments of over ${ARGUMENT_CHARS} characters and is old`,
    purpose: 'economy',
    class: 'restorable',
    frees,
    removed,
    values,
  }
}

/** '' where a sizes-only reading let the text go. */
function stringAt(input: JsonValue, path: InputPath): string {
  let value: JsonValue | undefined = input
  for (const step of path) {
    if (value === null || typeof value !== 'object') return ''
    value = (value as { readonly [key: string | number]: JsonValue })[step]
  }
  return typeof value === 'string' ? value : ''
}
