/**
 * The last step of every epoch (DESIGN, Thinking step; message-rules A30-A36; claude-agent-sdk section 10).
 *
 * A bound model accepts a thinking block only behind the exact prefix it was made with. So the thinking that stood
 * between the first edit and the last entry at that time leaves, and nothing else: what came before stays valid,
 * what comes later is made with the new prefix. Since everything behind the first edit leaves, no gap opens (A34).
 */
import type { Edit, Removed } from './edits.ts'
import { thinkingRuleOf } from './models.ts'
import { removedText } from './removed.ts'
import { type Address, addressKey, type Message, type Transcript } from './transcript.ts'

/** Edits that change nothing of what is sent: the file's own structure. */
const SILENT_KINDS: ReadonlySet<Edit['kind']> = new Set(['relink', 'split-line', 'set-field', 'strip-thinking'])

interface Place {
  readonly message: number
  readonly block: number
}

/**
 * The strip-thinking edits that make `edits` safe. `transcript` is the one the edits are addressed to; an empty list
 * when nothing that is sent changes or no thinking is bound to its prefix.
 *
 * What counts is the model that made the thinking: one that did not drops it without a word (A36), so thinking of an
 * unbound model stays whoever reads it, and that of a bound one leaves even when another reads it now, or going back
 * to the first would be refused. `model`, the reader, stands in where a message does not name its own.
 */
export function thinkingStep(transcript: Transcript, edits: readonly Edit[], model: string | undefined): Edit[] {
  const first = firstEdit(transcript, edits)
  if (!first) return []
  const strips: Edit[] = []
  transcript.messages.forEach((message, index) => {
    if (index < first.message || message.role !== 'assistant') return
    if (thinkingRuleOf(message.model ?? model) !== 'bound') return
    for (const entry of message.entries) {
      const edit = stripEntry(message, entry, (block) => index > first.message || block > first.block)
      if (edit) strips.push(edit)
    }
  })
  return strips
}

/**
 * Thinking that fell with its message, when everything else in that left: what the archive must hold beside what the
 * edits themselves took out.
 */
export function fallenThinking(before: Transcript, after: Transcript, removed: readonly Removed[]): Removed[] {
  const held = new Set<string>(removed.map(({ at }) => addressKey(at)))
  for (const message of after.messages) for (const block of message.blocks) held.add(addressKey(block.at))
  return before.messages.flatMap(({ blocks }) =>
    blocks.flatMap((block) => {
      if (block.type !== 'thinking' || block.text === '' || held.has(addressKey(block.at))) return []
      return removedText(block.text, { at: block.at, rule: 'thinking', class: 'worthless' })
    }),
  )
}

function firstEdit(transcript: Transcript, edits: readonly Edit[]): Place | undefined {
  const places = new Map<number, number>()
  transcript.messages.forEach((message, index) => {
    for (const entry of message.entries) places.set(entry, index)
  })
  let first: Place | undefined
  for (const edit of edits) {
    if (SILENT_KINDS.has(edit.kind)) continue
    const entries = edit.kind === 'drop-message' ? edit.entries : [edit.at.entry]
    for (const entry of entries) {
      const place = placeOf(transcript, places.get(entry), { ...edit.at, entry }, edit.kind)
      if (place && (!first || place.message < first.message || sooner(place, first))) first = place
    }
  }
  return first
}

function sooner(a: Place, b: Place): boolean {
  return a.message === b.message && a.block < b.block
}

/** What is put in comes behind its message; what leaves whole changes everything from its first block. */
function placeOf(
  transcript: Transcript,
  index: number | undefined,
  at: Address,
  kind: Edit['kind'],
): Place | undefined {
  if (index === undefined) return undefined
  const blocks = transcript.messages[index]?.blocks ?? []
  if (kind === 'answer-call' || kind === 'insert-message') return { message: index, block: blocks.length }
  if (kind === 'drop-message' || at.block === undefined) return { message: index, block: -1 }
  return {
    message: index,
    block: blocks.findIndex((block) => block.at.entry === at.entry && block.at.block === at.block),
  }
}

function stripEntry(message: Message, entry: number, behind: (block: number) => boolean): Edit | undefined {
  const thinking = message.blocks.filter((block, index) => {
    return block.type === 'thinking' && block.at.entry === entry && behind(index)
  })
  const [first] = thinking
  if (!first) return undefined
  const at = { thread: first.at.thread, entry }
  return {
    kind: 'strip-thinking',
    at,
    rule: 'thinking',
    reason: 'thinking behind an edit is refused by models that bind it to its prefix (A33)',
    purpose: 'thinking',
    class: 'worthless',
    frees: thinking.reduce((sum, block) => sum + block.tokens, 0),
    removed: thinking
      .filter((block) => block.type === 'thinking' && block.text !== '')
      .map((block) =>
        removedText(block.type === 'thinking' ? block.text : '', {
          at: block.at,
          rule: 'thinking',
          class: 'worthless',
        }),
      ),
  }
}
