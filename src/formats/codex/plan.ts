/** What a batch of edits does to a rollout: which entries leave or change, and what comes behind which. */
import { apply } from '../../core/apply.ts'
import type { Edit } from '../../core/edits.ts'
import type { Block, CallBlock, JsonObject, Message, Transcript } from '../../core/transcript.ts'
import type { Session } from '../format.ts'
import { answerItem, answerText, userText } from '../responses/made-items.ts'
import { type CodexNative, nativeOf } from './reader.ts'

/** What follows an entry's line: a finished line, or a recorded entry that moved here. */
export type Follower = { readonly text: string } | { readonly moved: number }

export interface EntryChange {
  readonly before: readonly Block[]
  readonly after: readonly Block[]
}

export interface Plan {
  /** Entries whose bytes leave their place; moved ones come back as followers. */
  readonly gone: ReadonlySet<number>
  readonly changed: ReadonlyMap<number, EntryChange>
  readonly followers: ReadonlyMap<number, readonly Follower[]>
}

export function planOf(session: Session, edits: readonly Edit[]): Plan {
  const native = nativeOf(session)
  const { main } = session
  const after = apply(main, edits)
  const recorded = blocksByEntry(main)
  const left = blocksByEntry(after)
  const alive = new Set(after.messages.flatMap((message) => message.entries))
  const gone = new Set<number>()
  const changed = new Map<number, EntryChange>()
  for (const entry of main.messages.flatMap((message) => message.entries)) {
    const before = recorded.get(entry) ?? []
    const now = left.get(entry) ?? []
    if (!alive.has(entry) || (before.length > 0 && now.length === 0)) gone.add(entry)
    else if (before.length !== now.length || before.some((block, index) => block !== now[index])) {
      changed.set(entry, { before, after: now })
    }
  }
  for (const entry of gone) {
    if (native.entries[entry]?.type === 'compacted') {
      throw new TypeError('a compaction summary cannot leave: the history before it would come back')
    }
  }
  const moved = movedEntries(main, edits, gone)
  return { gone: new Set([...gone, ...moved]), changed, followers: followersOf(native, after, gone, moved) }
}

/** All entries of the messages that move. */
function movedEntries(transcript: Transcript, edits: readonly Edit[], gone: ReadonlySet<number>): Set<number> {
  const asked = new Set(edits.flatMap((edit) => (edit.kind === 'move' ? [edit.at.entry] : [])))
  if (asked.size === 0) return asked
  const moving = transcript.messages.filter((message) => message.entries.some((entry) => asked.has(entry)))
  return new Set(moving.flatMap((message) => message.entries.filter((entry) => !gone.has(entry))))
}

function blocksByEntry(transcript: Transcript): Map<number, Block[]> {
  const groups = new Map<number, Block[]>()
  for (const block of transcript.messages.flatMap((message) => message.blocks)) {
    const group = groups.get(block.at.entry)
    if (group) group.push(block)
    else groups.set(block.at.entry, [block])
  }
  return groups
}

/** Everything that is put in or moved stands behind the last entry before it that keeps its place. */
function followersOf(
  native: CodexNative,
  after: Transcript,
  gone: ReadonlySet<number>,
  moved: ReadonlySet<number>,
): Map<number, Follower[]> {
  const followers = new Map<number, Follower[]>()
  const calls = new Map<string, CallBlock>()
  let place = 0
  for (const message of after.messages) {
    for (const block of message.blocks) if (block.type === 'call') calls.set(block.id, block)
    const isInserted = (message.entries[0] ?? 0) < 0
    if (!isInserted && !message.entries.some((entry) => moved.has(entry))) {
      place = message.entries.at(-1) ?? place
      continue
    }
    const list = followers.get(place) ?? []
    followers.set(place, list)
    if (isInserted) list.push(...insertedLines(message, native, place, calls))
    else list.push(...message.entries.filter((entry) => !gone.has(entry)).map((entry) => ({ moved: entry })))
  }
  return followers
}

function insertedLines(
  message: Message,
  native: CodexNative,
  place: number,
  calls: ReadonlyMap<string, CallBlock>,
): Follower[] {
  const timestamp = native.entries[place]?.timestamp
  const line = (payload: JsonObject): Follower => ({
    text: JSON.stringify({ ...(timestamp === undefined ? {} : { timestamp }), type: 'response_item', payload }),
  })
  return message.blocks.flatMap((block): Follower[] => {
    if (block.type === 'result') {
      const call = calls.get(block.callId)
      return [line(answerItem(block, call && native.entries[call.at.entry]?.payloadType))]
    }
    if (block.type !== 'text') return []
    return [line(message.role === 'assistant' ? answerText(block.text) : userText(block.text))]
  })
}
