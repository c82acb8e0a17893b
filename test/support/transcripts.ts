/** Small transcripts for tests: one line a message, blocks by shorthand, entries numbered in order. */
import { callBlock, mediaBlock, resultBlock, textBlock, thinkingBlock } from '../../src/core/blocks.ts'
import type {
  Block,
  Denial,
  JsonObject,
  Link,
  MediaPart,
  Message,
  MessageKind,
  ResultPart,
  TaskMark,
  Transcript,
} from '../../src/core/transcript.ts'

export type BlockSketch =
  | string
  | { readonly thinking: string }
  | { readonly call: string; readonly tool?: string; readonly input?: JsonObject }
  | {
      readonly result: string
      readonly text?: string
      readonly parts?: readonly ResultPart[]
      readonly error?: boolean
      readonly denied?: Denial
      readonly partial?: string
      readonly invented?: boolean
    }
  | { readonly media: Omit<MediaPart, 'type'>; readonly type: 'image' | 'document' }

export interface MessageSketch {
  readonly role: 'user' | 'assistant' | 'system'
  readonly blocks: readonly BlockSketch[]
  readonly kind?: MessageKind
  readonly id?: string
  readonly task?: TaskMark
}

export const user = (...blocks: BlockSketch[]): MessageSketch => ({ role: 'user', blocks })
export const assistant = (...blocks: BlockSketch[]): MessageSketch => ({ role: 'assistant', blocks })

/** A turn of one call and its result. */
export function exchange(id: string, text: string, tool = 'Bash', input: JsonObject = { command: `run ${id}` }) {
  return [assistant({ call: id, tool, input }), user({ result: id, text })]
}

export function transcriptOf(sketches: readonly MessageSketch[], facts: Partial<Transcript> = {}): Transcript {
  const messages = sketches.map((sketch, entry): Message => {
    return {
      role: sketch.role,
      entries: [entry],
      blocks: sketch.blocks.map((block, index) => blockOf(block, entry, index)),
      ...(sketch.kind ? { kind: sketch.kind } : {}),
      ...(sketch.id ? { id: sketch.id } : {}),
      ...(sketch.task ? { task: sketch.task } : {}),
    }
  })
  const links = messages.map((_, entry): Link => {
    return { entry, key: `e${entry}`, parent: entry === 0 ? null : `e${entry - 1}`, thread: 'main', line: entry + 1 }
  })
  return {
    thread: 'main',
    format: 'sketch',
    model: 'claude-sonnet-4-5',
    messages,
    links,
    tools: { reads: new Set(['Read']), shells: new Set(['Bash']) },
    ...facts,
  }
}

function blockOf(sketch: BlockSketch, entry: number, block: number): Block {
  const at = { thread: 'main', entry, block }
  if (typeof sketch === 'string') return textBlock(at, sketch)
  if ('thinking' in sketch) return thinkingBlock(at, sketch.thinking, { redacted: false, signed: true })
  if ('call' in sketch)
    return callBlock(at, { id: sketch.call, tool: sketch.tool ?? 'Bash', input: sketch.input ?? {} })
  if ('media' in sketch) return mediaBlock(at, { ...sketch.media, type: sketch.type })
  const parts = sketch.parts ?? [{ type: 'text' as const, text: sketch.text ?? 'done' }]
  return resultBlock(at, {
    callId: sketch.result,
    parts,
    shape: sketch.parts ? 'array' : 'string',
    ...(sketch.parts ? { raw: JSON.stringify(sketch.parts) } : {}),
    isError: sketch.error ?? false,
    ...(sketch.denied ? { denied: sketch.denied } : {}),
    ...(sketch.partial === undefined ? {} : { partial: sketch.partial }),
    invented: sketch.invented ?? false,
  })
}

export const long = (words: string, chars = 4000): string => words.padEnd(chars, ` ${words}`)

/** What the model would read, one string a block: for comparisons that ignore addresses. */
export function spokenBy(transcript: Transcript): string[] {
  return transcript.messages.flatMap((message) =>
    message.blocks.map((block) => {
      if (block.type === 'call') return `${message.role}: ${block.tool}(${JSON.stringify(block.input)}) #${block.id}`
      if (block.type === 'result') {
        const words = block.parts.map((part) => (part.type === 'text' ? part.text : `<${part.type}>`)).join('|')
        return `${message.role}: #${block.callId}${block.isError ? ' failed' : ''} ${words}`
      }
      return `${message.role}: ${block.type} ${'text' in block ? block.text : ''}`
    }),
  )
}
