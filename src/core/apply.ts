/**
 * Carries edits out on the neutral view (DESIGN section 4). Pure; the input is not modified.
 *
 * A format's writer does the same on the recorded bytes: `read(write(source, edits))` equals
 * `apply(read(source), edits)` up to addresses, which the formats' property tests check.
 */
import { callBlock, resultBlock, textBlock } from './blocks.ts'
import type { Edit, EditOf, InputPath } from './edits.ts'
import { estimateTokens } from './tokens.ts'
import type { Block, CallBlock, JsonObject, JsonValue, Message, ResultBlock, Transcript } from './transcript.ts'
import { addressKey } from './transcript.ts'

type Insertion = EditOf<'answer-call'> | EditOf<'insert-message'>

interface Sorted {
  /** Edits of one block, by address key. */
  readonly blocks: ReadonlyMap<string, readonly Edit[]>
  /** Edits of a whole entry, by ordinal. */
  readonly entries: ReadonlyMap<number, readonly Edit[]>
  readonly dropped: ReadonlySet<number>
  readonly insertions: ReadonlyMap<number, readonly Insertion[]>
  readonly moves: ReadonlyMap<number, EditOf<'move'>>
}

function collect<K, V>(map: Map<K, V[]>, key: K, value: V): void {
  const list = map.get(key)
  if (list) list.push(value)
  else map.set(key, [value])
}

function sortEdits(edits: readonly Edit[]): Sorted {
  const blocks = new Map<string, Edit[]>()
  const entries = new Map<number, Edit[]>()
  const dropped = new Set<number>()
  const insertions = new Map<number, Insertion[]>()
  const moves = new Map<number, EditOf<'move'>>()
  for (const edit of edits) {
    switch (edit.kind) {
      case 'drop-message':
        for (const entry of edit.entries) dropped.add(entry)
        break
      case 'answer-call':
      case 'insert-message':
        collect(insertions, edit.at.entry, edit)
        break
      case 'move':
        moves.set(edit.at.entry, edit)
        break
      case 'strip-thinking':
      case 'reorder':
        collect(entries, edit.at.entry, edit)
        break
      case 'drop-exchange':
      case 'fold-exchange':
        collect(blocks, addressKey(edit.at), edit)
        if (edit.result) collect(blocks, addressKey(edit.result), edit)
        break
      case 'relink':
      case 'split-line':
      case 'set-field':
        // The file's own structure: the view already reads as if it were whole.
        break
      default:
        collect(blocks, addressKey(edit.at), edit)
    }
  }
  return { blocks, entries, dropped, insertions, moves }
}

/** `apply(transcript, edits)`: at most one edit an address (the economy sees to it); unknown addresses are ignored. */
export function apply(transcript: Transcript, edits: readonly Edit[]): Transcript {
  if (edits.length === 0) return transcript
  const sorted = sortEdits(edits)
  const messages: Message[] = []
  let invented = nextInvented(transcript)
  const calls = droppedCalls(sorted)
  for (const message of transcript.messages) {
    const kept = calls.isAbout(message) ? undefined : applyToMessage(message, sorted)
    if (kept) messages.push(kept)
    // Results of one turn follow their calls in the order of the calls' entries.
    for (const entry of message.entries) {
      for (const insertion of sorted.insertions.get(entry) ?? []) messages.push(insertedMessage(insertion, --invented))
    }
  }
  return { ...transcript, messages: moveMessages(messages, sorted.moves) }
}

/** Reminders leave with the call they are about; ids repeat, so the newest call with the id counts. */
function droppedCalls(sorted: Sorted): { isAbout(message: Message): boolean } {
  const ids = new Set<string>()
  return {
    isAbout(message) {
      for (const block of message.blocks) {
        if (block.type !== 'call') continue
        const edits = sorted.blocks.get(addressKey(block.at)) ?? []
        if (edits.some((edit) => edit.kind === 'drop-exchange' || edit.kind === 'fold-exchange')) ids.add(block.id)
        else ids.delete(block.id)
      }
      return message.about !== undefined && ids.has(message.about)
    },
  }
}

function nextInvented(transcript: Transcript): number {
  let lowest = 0
  for (const message of transcript.messages) for (const entry of message.entries) lowest = Math.min(lowest, entry)
  return lowest
}

function applyToMessage(message: Message, sorted: Sorted): Message | undefined {
  const entries = message.entries.filter((entry) => !sorted.dropped.has(entry))
  if (entries.length === 0) return undefined
  const touched =
    entries.length < message.entries.length ||
    message.entries.some((entry) => sorted.entries.has(entry)) ||
    message.blocks.some((block) => sorted.blocks.has(addressKey(block.at)))
  if (!touched) return message
  const alive = new Set(entries)
  let removedOne = false
  let blocks: Block[] = []
  for (const block of message.blocks) {
    if (!alive.has(block.at.entry)) continue
    let current: Block | undefined = block
    for (const edit of sorted.blocks.get(addressKey(block.at)) ?? []) current = current && applyToBlock(current, edit)
    if (current && stripped(block, sorted)) current = undefined
    else if (!current) removedOne = true
    if (current) blocks.push(current)
  }
  blocks = reordered(blocks, sorted)
  if (removedOne && blocks.every((block) => block.type === 'thinking')) return undefined
  return { ...message, entries, blocks }
}

function stripped(block: Block, sorted: Sorted): boolean {
  return (
    block.type === 'thinking' &&
    (sorted.entries.get(block.at.entry) ?? []).some((edit) => edit.kind === 'strip-thinking')
  )
}

function reordered(blocks: Block[], sorted: Sorted): Block[] {
  const orders = new Map<number, readonly number[]>()
  for (const block of blocks) {
    for (const edit of sorted.entries.get(block.at.entry) ?? []) {
      if (edit.kind === 'reorder') orders.set(block.at.entry, edit.order)
    }
  }
  if (orders.size === 0) return blocks
  const rank = (block: Block): number => orders.get(block.at.entry)?.indexOf(block.at.block ?? 0) ?? -1
  return blocks
    .map((block, index) => ({ block, index }))
    .sort((a, b) => {
      const together = a.block.at.entry === b.block.at.entry && orders.has(a.block.at.entry)
      return together ? rank(a.block) - rank(b.block) || a.index - b.index : a.index - b.index
    })
    .map(({ block }) => block)
}

function applyToBlock(block: Block, edit: Edit): Block | undefined {
  switch (edit.kind) {
    case 'drop-block':
    case 'drop-exchange':
      return undefined
    case 'fold-exchange':
      return block.type === 'call' ? textBlock(block.at, edit.text) : undefined
    case 'replace-result':
      return block.type === 'result' ? replacedResult(block, edit) : block
    case 'replace-arguments':
      return block.type === 'call' ? replacedArguments(block, edit) : block
    case 'replace-text':
      return textBlock(block.at, edit.text)
    case 'replace-media':
      return block.type === 'result' ? replacedPart(block, edit) : textBlock(block.at, edit.text)
    case 'result-to-text':
      return block.type === 'result' ? textBlock(block.at, wordsOf(block)) : block
    default:
      return block
  }
}

/** The readable words of a result; what is no text is named by its type. */
export function wordsOf(block: ResultBlock): string {
  const words = block.parts.map((part) => (part.type === 'text' ? part.text : `[${part.type}]`)).join('\n')
  return words.trim() === '' ? '(empty result)' : words
}

function replacedResult(block: ResultBlock, edit: EditOf<'replace-result'>): ResultBlock {
  const { raw: _, denied: __, ...facts } = block
  const fresh = resultBlock(block.at, {
    ...facts,
    parts: [{ type: 'text', text: edit.text }],
    shape: block.shape === 'array' ? 'array' : 'string',
    isError: edit.isError ?? block.isError,
  })
  return block.denied ? { ...fresh, denied: block.denied } : fresh
}

function replacedPart(block: ResultBlock, edit: EditOf<'replace-media'>): ResultBlock {
  const { raw: _, ...facts } = block
  return resultBlock(block.at, {
    ...facts,
    parts: block.parts.map((part, index) => (index === edit.part ? { type: 'text', text: edit.text } : part)),
  })
}

function replacedArguments(block: CallBlock, edit: EditOf<'replace-arguments'>): CallBlock {
  let input = block.input
  let chars = block.chars
  let tokens = block.tokens
  for (const { path, text } of edit.values) {
    const old = block.longArguments.find((argument) => samePath(argument.path, path)) ?? shortAt(input, path)
    input = withValue(input, path, text)
    chars += text.length - old.chars
    tokens += estimateTokens(text) - old.tokens
  }
  const fresh = callBlock(block.at, { id: block.id, tool: block.tool, input })
  // In a sizes-only transcript the kept input is not the recorded one: measures move by what the edit changed.
  const replaced = (argument: { path: InputPath }): boolean =>
    edit.values.some((value) => samePath(value.path, argument.path))
  return {
    ...fresh,
    chars,
    tokens: Math.max(0, tokens),
    longArguments: block.longArguments.filter((argument) => !replaced(argument)),
  }
}

/** The measure of a string that is too short to be listed with the block. */
function shortAt(input: JsonObject, path: InputPath): { chars: number; tokens: number } {
  let value: JsonValue | undefined = input
  for (const step of path) {
    if (value === null || typeof value !== 'object') return { chars: 0, tokens: 0 }
    value = (value as { readonly [key: string | number]: JsonValue })[step]
  }
  return typeof value === 'string' ? { chars: value.length, tokens: estimateTokens(value) } : { chars: 0, tokens: 0 }
}

function samePath(a: InputPath, b: InputPath): boolean {
  return a.length === b.length && a.every((step, index) => step === b[index])
}

function withValue(value: JsonObject, path: InputPath, text: string): JsonObject {
  const [step, ...rest] = path
  if (step === undefined) return value
  const member = value[String(step)]
  return { ...value, [String(step)]: rest.length === 0 ? text : withMember(member, rest, text) }
}

function withMember(value: JsonValue | undefined, path: InputPath, text: string): JsonValue {
  if (Array.isArray(value)) {
    const [step, ...rest] = path
    return value.map((member: JsonValue, index) =>
      index !== step ? member : rest.length === 0 ? text : withMember(member, rest, text),
    )
  }
  if (value !== null && typeof value === 'object') return withValue(value as JsonObject, path, text)
  return text
}

function insertedMessage(edit: Insertion, entry: number): Message {
  const at = { thread: edit.at.thread, entry, block: 0 }
  if (edit.kind === 'insert-message') {
    return { role: edit.role, entries: [entry], blocks: [textBlock(at, edit.text)] }
  }
  const answer = resultBlock(at, {
    callId: edit.callId,
    parts: [{ type: 'text', text: edit.text }],
    shape: 'string',
    isError: edit.isError,
    invented: true,
  })
  return { role: 'user', entries: [entry], blocks: [answer] }
}

function moveMessages(messages: Message[], moves: ReadonlyMap<number, EditOf<'move'>>): Message[] {
  if (moves.size === 0) return messages
  const staying = messages.filter((message) => !message.entries.some((entry) => moves.has(entry)))
  const moving = new Map<number, Message[]>()
  for (const message of messages) {
    const move = message.entries.map((entry) => moves.get(entry)).find((found) => found !== undefined)
    if (move) collect(moving, move.after, message)
  }
  const placed: Message[] = []
  for (const message of staying) {
    placed.push(message)
    for (const entry of message.entries) {
      for (const each of moving.get(entry) ?? []) placed.push(each)
      moving.delete(entry)
    }
  }
  for (const rest of moving.values()) for (const each of rest) placed.push(each)
  return placed
}
