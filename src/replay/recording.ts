/**
 * A recorded session as a replay needs it: what each request sent, in items of known size, and what was needed when.
 *
 * Items are user text, the model's words and thinking, call arguments and results. Their tokens are the estimates of
 * core/tokens, brought to the session's recorded usage by one factor.
 */
import type { Block, JsonValue, Message, Transcript } from '../core/transcript.ts'
import { addressKey, turnsOf } from '../core/transcript.ts'
import { type Measure, measureOf } from './measure.ts'
import { type Needle, needlesOf } from './needles.ts'

export type ItemKind = 'user' | 'harness' | 'words' | 'thinking' | 'call' | 'result' | 'media'

export interface Item {
  readonly kind: ItemKind
  readonly tokens: number
  /** The turn it belongs to; -1 for what came before the first answer. */
  readonly turn: number
  /** Characters, where a strategy counts them. */
  readonly chars: number
  /** Of a call or a result. */
  readonly tool?: string
}

/** One recorded request. */
export interface Call {
  /** It sent the items before this index. */
  readonly end: number
  /** Milliseconds since the request before; 0 for the first, and where times are not recorded. */
  readonly gap: number
}

export interface Recording {
  readonly name: string
  /** Tokens sent before the first item. */
  readonly floor: number
  readonly items: readonly Item[]
  readonly calls: readonly Call[]
  readonly needles: readonly Needle[]
  readonly transcript: Transcript
  /** Index of a block's item, by address key. */
  readonly itemOf: ReadonlyMap<string, number>
  /** Calibrated tokens for each estimated one. */
  readonly scale: number
}

/** `transcript` is a reading of the history, with texts. */
export function recordingOf(
  transcript: Transcript,
  name: string,
  { scale, floor }: Measure = measureOf(transcript),
): Recording {
  const turns = turnsOf(transcript)
  const turnAt = new Map(turns.map((turn, index) => [turn.start, index]))
  const items: Item[] = []
  const calls: Call[] = []
  const itemOf = new Map<string, number>()
  const sources: { readonly text: string; readonly item: number; readonly turn: number }[] = []
  let turn = -1
  let previous: number | undefined
  transcript.messages.forEach((message, index) => {
    if (turnAt.has(index)) {
      turn++
      const gap = previous === undefined || message.time === undefined ? 0 : Math.max(0, message.time - previous)
      previous = message.time ?? previous
      calls.push({ end: items.length, gap })
    }
    if (message.kind === 'api-error') return
    for (const block of message.blocks) {
      const item = itemFor(block, message, turn, scale)
      itemOf.set(addressKey(block.at), items.length)
      sources.push({ text: textOf(block), item: items.length, turn })
      items.push(item)
    }
  })
  return {
    name,
    floor,
    items,
    calls,
    needles: needlesOf(items, sources),
    transcript,
    itemOf,
    scale,
  }
}

function itemFor(block: Block, message: Message, turn: number, scale: number): Item {
  const tokens = scale * block.tokens
  const base = { tokens, turn, chars: block.chars }
  if (block.type === 'call') return { ...base, kind: 'call', tool: block.tool }
  if (block.type === 'result') return { ...base, kind: 'result' }
  if (block.type === 'thinking') return { ...base, kind: 'thinking' }
  if (block.type === 'text') return { ...base, kind: speakerOf(message) }
  return { ...base, kind: 'media' }
}

function speakerOf({ role, kind }: Message): 'user' | 'harness' | 'words' {
  if (role === 'assistant') return 'words'
  return kind === undefined ? 'user' : 'harness'
}

function textOf(block: Block): string {
  if (block.type === 'text') return block.text
  if (block.type === 'call') return stringsIn(block.input).join('\n')
  if (block.type === 'result') return block.parts.map((part) => (part.type === 'text' ? part.text : '')).join('\n')
  return ''
}

/** Every string of a call's arguments; deep ones too, never recursive. */
function stringsIn(input: JsonValue): string[] {
  const strings: string[] = []
  const open: JsonValue[] = [input]
  for (let value = open.pop(); value !== undefined; value = open.pop()) {
    if (typeof value === 'string') strings.push(value)
    else if (value !== null && typeof value === 'object')
      for (const each of Object.values(value) as JsonValue[]) open.push(each)
  }
  return strings
}
