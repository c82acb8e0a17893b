/**
 * Factories for measured blocks: every reader builds its blocks here, so that a text weighs the same whatever
 * recording it came from. With `sizesOnly` the words are let go once they are measured; what rules need to decide
 * (tool, target, path of long arguments) stays.
 */
import { isSpillwayText } from './pointer.ts'
import { estimateTokens, imageTokens, thinkingTokens } from './tokens.ts'
import type {
  Address,
  CallBlock,
  Denial,
  JsonObject,
  JsonValue,
  LongArgument,
  MediaBlock,
  MediaPart,
  OpaqueBlock,
  ResultBlock,
  ResultPart,
  TaskMark,
  TextBlock,
  ThinkingBlock,
} from './transcript.ts'

/** Only call arguments over this many characters become pointers; paths, commands and numbers stay (DESIGN). */
export const ARGUMENT_CHARS = 400
/** What a sizes-only reading keeps of an argument. */
const KEPT_CHARS = 200

export interface BlockOptions {
  readonly sizesOnly?: boolean
}

/** A copy that does not keep the (possibly huge) string alive that it was cut from. */
function detached(text: string): string {
  return Buffer.from(text, 'utf16le').toString('utf16le')
}

export function textBlock(at: Address, text: string, options: BlockOptions = {}): TextBlock {
  return {
    type: 'text',
    at,
    text: options.sizesOnly ? '' : text,
    chars: text.length,
    tokens: estimateTokens(text),
  }
}

/** `signatureChars`: length of the signature, or of the sealed data of a redacted block; 0 when unsigned. */
export function thinkingBlock(
  at: Address,
  text: string,
  facts: { readonly redacted: boolean; readonly signed: boolean; readonly signatureChars?: number },
  options: BlockOptions = {},
): ThinkingBlock {
  return {
    type: 'thinking',
    at,
    text: options.sizesOnly ? '' : text,
    redacted: facts.redacted,
    signed: facts.signed,
    chars: text.length,
    tokens: thinkingTokens(text, facts.signatureChars ?? 0),
  }
}

/** Strings over ARGUMENT_CHARS in depth-first order; never recursive, since inputs may be nested very deep. */
function longStrings(input: JsonValue): LongArgument[] {
  const found: LongArgument[] = []
  const open: { value: JsonValue; path: (string | number)[] }[] = [{ value: input, path: [] }]
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const { value, path } = next
    if (typeof value === 'string') {
      if (value.length > ARGUMENT_CHARS) found.push({ path, chars: value.length, tokens: estimateTokens(value) })
    } else if (path.length >= DEEPEST_PATH) {
      // deeper strings are left alone; see DEEPEST_PATH
    } else if (Array.isArray(value)) {
      for (let index = value.length - 1; index >= 0; index--) {
        if (canHoldLong(value[index])) open.push({ value: value[index], path: [...path, index] })
      }
    } else if (value !== null && typeof value === 'object') {
      for (const [key, member] of Object.entries(value).reverse()) {
        if (canHoldLong(member)) open.push({ value: member, path: [...path, key] })
      }
    }
  }
  return found
}

/** Below this depth arguments are left alone: a path of thousands of steps is no argument that anybody wrote. */
const DEEPEST_PATH = 32

function canHoldLong(value: JsonValue | undefined): value is JsonValue {
  return (typeof value === 'string' && value.length > ARGUMENT_CHARS) || (typeof value === 'object' && value !== null)
}

function shortened(input: JsonObject): JsonObject {
  const kept: Record<string, JsonValue> = {}
  for (const [key, value] of Object.entries(input)) {
    if (typeof value === 'string') kept[key] = value.length <= KEPT_CHARS ? value : detached(value.slice(0, KEPT_CHARS))
    else if (typeof value !== 'object') kept[key] = value
  }
  return kept
}

/** Measures the JSON of an input; nesting too deep for JSON.stringify counts by its strings alone. */
function measureInput(input: JsonObject): { chars: number; tokens: number } {
  try {
    const json = JSON.stringify(input)
    return { chars: json.length, tokens: estimateTokens(json) }
  } catch (error) {
    if (!(error instanceof RangeError)) throw error
    const long = longStrings(input)
    return { chars: sum(long, 'chars'), tokens: sum(long, 'tokens') }
  }
}

function sum(items: readonly LongArgument[], field: 'chars' | 'tokens'): number {
  return items.reduce((total, item) => total + item[field], 0)
}

export interface CallFacts {
  readonly id: string
  readonly tool: string
  readonly input: JsonObject
  /** What of the input the model is sent, where a harness records more than that. */
  readonly sent?: JsonObject
}

export function callBlock(at: Address, call: CallFacts, options: BlockOptions = {}): CallBlock {
  const sent = call.sent ?? call.input
  const size = measureInput(sent)
  return {
    type: 'call',
    at,
    id: call.id,
    tool: call.tool,
    input: options.sizesOnly ? shortened(call.input) : call.input,
    longArguments: longStrings(sent),
    chars: size.chars + call.tool.length,
    tokens: size.tokens + estimateTokens(call.tool),
  }
}

function measurePart(part: ResultPart): { chars: number; tokens: number } {
  if (part.type === 'text') return { chars: part.text.length, tokens: estimateTokens(part.text) }
  if (part.type === 'opaque') return { chars: part.json.length, tokens: estimateTokens(part.json) }
  return { chars: 0, tokens: mediaTokens(part) }
}

/** Documents of unknown length count like their bytes as text; images by their pixels. */
function mediaTokens(media: MediaPart | Omit<MediaBlock, 'at' | 'chars' | 'tokens'>): number {
  return media.type === 'image' ? imageTokens(media.width, media.height) : Math.ceil(media.bytes / 4)
}

function withoutText(part: ResultPart): ResultPart {
  if (part.type === 'text') return { type: 'text', text: '' }
  if (part.type === 'opaque') return { type: 'opaque', name: part.name, json: '' }
  const { data: _, ...rest } = part
  return rest
}

export interface ResultFacts {
  readonly callId: string
  readonly parts: readonly ResultPart[]
  readonly shape: ResultBlock['shape']
  readonly raw?: string
  readonly isError: boolean
  readonly denied?: Denial
  readonly partial?: string
  readonly invented: boolean
  readonly task?: TaskMark
}

export function resultBlock(at: Address, facts: ResultFacts, options: BlockOptions = {}): ResultBlock {
  let chars = 0
  let tokens = 0
  for (const part of facts.parts) {
    const size = measurePart(part)
    chars += size.chars
    tokens += size.tokens
  }
  const only = facts.parts.length === 1 ? facts.parts[0] : undefined
  return {
    type: 'result',
    at,
    callId: facts.callId,
    parts: options.sizesOnly ? facts.parts.map(withoutText) : facts.parts,
    shape: facts.shape,
    ...(facts.raw !== undefined && !options.sizesOnly ? { raw: facts.raw } : {}),
    isError: facts.isError,
    ...(facts.denied ? { denied: facts.denied } : {}),
    ...(facts.partial !== undefined ? { partial: options.sizesOnly ? '' : facts.partial } : {}),
    spilled: only?.type === 'text' && isSpillwayText(only.text),
    invented: facts.invented,
    ...(facts.task ? { task: facts.task } : {}),
    chars,
    tokens,
  }
}

export function mediaBlock(at: Address, part: MediaPart, options: BlockOptions = {}): MediaBlock {
  const { data, ...facts } = part
  return {
    ...facts,
    ...(data !== undefined && !options.sizesOnly ? { data } : {}),
    at,
    chars: 0,
    tokens: mediaTokens(part),
  }
}

/** `json` is the block as recorded; only its size is kept, since nothing may edit it. */
export function opaqueBlock(at: Address, name: string, json: string): OpaqueBlock {
  return { type: 'opaque', at, name, chars: json.length, tokens: estimateTokens(json) }
}
