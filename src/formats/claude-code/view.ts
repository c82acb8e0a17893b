/**
 * From the chain to what would be sent: the active branch, its parallel calls and their results brought together,
 * what a compaction cut off left out and what it kept re-attached.
 */
import type { Message } from '../../core/transcript.ts'
import { type Chain, leafOf, pathTo, ROOT } from './chain.ts'
import { type Entry, isTurn, type Sent } from './entry.ts'

export interface Branch {
  /** Ordinals from the root to the leaf, as the chain has them (history: across compactions). */
  readonly path: readonly number[]
  readonly messages: readonly Message[]
}

export interface Recorded {
  readonly entries: readonly Entry[]
  readonly byKey: ReadonlyMap<string, number>
  readonly chain: Chain
  /** Ordinals of each thread's entries, in file order. */
  readonly threads: ReadonlyMap<string, readonly number[]>
}

/** The active branch of one thread: `view` is what would be sent now, `history` every call across compactions. */
export function readBranch(recorded: Recorded, thread: string, reading: 'view' | 'history'): Branch {
  const leaf = leafOf(recorded, thread)
  if (leaf === ROOT) return { path: [], messages: [] }
  const path = reading === 'view' ? viewPath(recorded, leaf) : historyPath(recorded, leaf)
  const first = path[0] ?? ROOT
  const boundary = reading === 'view' && recorded.entries[first]?.isBoundary ? first : ROOT
  const preserved = boundary === ROOT ? [] : preservedOf(recorded, boundary)
  const kept = new Set(preserved)
  const sequence = [...withPreserved(recorded, path, preserved)]
  const mayJoin = (entry: number): boolean => entry > boundary || kept.has(entry)
  const ordered = inSendingOrder(recorded, thread, withKeyless(recorded, thread, sequence), mayJoin)
  const messages = messagesOf(ordered.map((entry) => recorded.entries[entry]?.sent))
  return {
    path,
    messages: reading === 'view' ? messages : messages.filter((message) => message.kind !== 'compaction-summary'),
  }
}

/** The loader starts at the last boundary, even where that has a parent (D08). */
function viewPath(recorded: Recorded, leaf: number): number[] {
  const path = pathTo(leaf, recorded.chain.parents)
  const boundary = path.findLastIndex((entry) => recorded.entries[entry]?.isBoundary)
  return boundary > 0 ? path.slice(boundary) : path
}

/** A boundary has no parent; its `logicalParentUuid` tells what came before. */
function historyPath(recorded: Recorded, leaf: number): number[] {
  let path = pathTo(leaf, recorded.chain.parents)
  const seen = new Set<number>()
  while (true) {
    const first = path[0]
    const boundary = first === undefined ? undefined : recorded.entries[first]
    if (first === undefined || !boundary?.isBoundary || seen.has(first)) return path
    seen.add(first)
    const named = recorded.byKey.get(boundary.references?.logicalParent ?? '')
    const before = named ?? keyedBefore(recorded, boundary)
    if (before === ROOT || before >= first) return path
    path = [...pathTo(before, recorded.chain.parents), ...path]
  }
}

function keyedBefore(recorded: Recorded, entry: Entry): number {
  const ordinals = recorded.threads.get(entry.link.thread) ?? []
  const before = ordinals.findLast(
    (ordinal) => ordinal < entry.link.entry && recorded.entries[ordinal]?.link.key !== undefined,
  )
  return before ?? ROOT
}

function preservedOf(recorded: Recorded, boundary: number): number[] {
  const keys = recorded.entries[boundary]?.references?.preserved?.keys ?? []
  return keys.flatMap((key) => recorded.byKey.get(key) ?? [])
}

/** What the compaction kept stands right behind its anchor, the summary. */
function withPreserved(recorded: Recorded, path: readonly number[], preserved: readonly number[]): number[] {
  if (preserved.length === 0) return [...path]
  const anchor = recorded.byKey.get(recorded.entries[path[0] ?? ROOT]?.references?.preserved?.anchor ?? '')
  const summary = path.findIndex((entry) => recorded.entries[entry]?.sent?.kind === 'compaction-summary')
  const named = anchor === undefined ? -1 : path.indexOf(anchor)
  const behind = named >= 0 ? named : Math.max(0, summary)
  const present = new Set(path)
  return [...path.slice(0, behind + 1), ...preserved.filter((entry) => !present.has(entry)), ...path.slice(behind + 1)]
}

/** Entries without key stand where the file has them: behind the entry of their thread before them. */
function withKeyless(recorded: Recorded, thread: string, sequence: readonly number[]): number[] {
  const behind = new Map<number, number[]>()
  const leading: number[] = []
  const onPath = new Set(sequence)
  for (const ordinal of recorded.threads.get(thread) ?? []) {
    const entry = recorded.entries[ordinal]
    if (!entry || entry.link.key !== undefined || !isTurn(entry) || onPath.has(ordinal)) continue
    const before = recorded.chain.parents[ordinal] ?? ROOT
    if (before === ROOT) leading.push(ordinal)
    else behind.set(before, [...(behind.get(before) ?? []), ordinal])
  }
  if (leading.length === 0 && behind.size === 0) return [...sequence]
  const woven: number[] = []
  const open = [...leading, ...sequence].reverse()
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    woven.push(next)
    const followers = behind.get(next)
    if (followers) for (const each of followers.reverse()) open.push(each)
  }
  return woven
}

/**
 * All entries of one message id together, in file order, at the place of the first; the results that answer its
 * calls right behind, wherever they hang (a plain parent walk misses those of parallel calls).
 */
function inSendingOrder(
  recorded: Recorded,
  thread: string,
  sequence: readonly number[],
  mayJoin: (entry: number) => boolean,
): number[] {
  const { entries } = recorded
  const onPath = new Set(sequence)
  const { siblings, loose } = gather(recorded, thread, onPath, mayJoin)
  const ordered: number[] = []
  const placed = new Set<number>()
  let pending: number[] = []
  let current = new Set<number>()
  const place = (entry: number): void => {
    if (placed.has(entry)) return
    placed.add(entry)
    ordered.push(entry)
  }
  const flush = (before: number): void => {
    while (pending[0] !== undefined && pending[0] < before) place(pending.shift() ?? ROOT)
  }
  for (const entry of sequence) {
    const sent = entries[entry]?.sent
    if (placed.has(entry) || !sent) continue
    if (sent.role !== 'assistant') {
      flush(current.has(sent.answers) ? entry : Number.POSITIVE_INFINITY)
      place(entry)
      continue
    }
    flush(Number.POSITIVE_INFINITY)
    const group = sent.id === undefined ? [entry] : (siblings.get(sent.id) ?? [entry])
    for (const member of group) place(member)
    current = new Set(group)
    pending = group.flatMap((member) => loose.get(member) ?? []).sort((a, b) => a - b)
  }
  flush(Number.POSITIVE_INFINITY)
  return ordered
}

/** Per message id of the branch its entries, and per assistant entry the results off the branch that answer it. */
function gather(
  recorded: Recorded,
  thread: string,
  onPath: ReadonlySet<number>,
  mayJoin: (entry: number) => boolean,
): { siblings: Map<string, number[]>; loose: Map<number, number[]> } {
  const siblings = new Map<string, number[]>()
  const loose = new Map<number, number[]>()
  const answered = new Set<string>()
  for (const entry of onPath) {
    const sent = recorded.entries[entry]?.sent
    if (sent?.role === 'assistant' && sent.id !== undefined) siblings.set(sent.id, [])
    for (const answer of sent ? answersOf(sent) : []) answered.add(answer)
  }
  for (const ordinal of recorded.threads.get(thread) ?? []) {
    const { sent, link } = recorded.entries[ordinal] ?? {}
    if (!sent || !link || !mayJoin(ordinal)) continue
    if (link.key !== undefined && recorded.byKey.get(link.key) !== ordinal) continue
    if (sent.role === 'assistant' && sent.id !== undefined) siblings.get(sent.id)?.push(ordinal)
    if (sent.answers === ROOT || onPath.has(ordinal)) continue
    const answers = answersOf(sent)
    if (answers.every((answer) => answered.has(answer))) continue
    for (const answer of answers) answered.add(answer)
    const others = loose.get(sent.answers)
    if (others) others.push(ordinal)
    else loose.set(sent.answers, [ordinal])
  }
  return { siblings, loose }
}

function answersOf(sent: Sent): string[] {
  if (sent.answers === ROOT) return []
  return sent.blocks.flatMap((block) => (block.type === 'result' ? `${sent.answers}/${block.callId}` : []))
}

/** Entries of one message id that follow each other become one message; every other entry is one of its own. */
export function messagesOf(sent: readonly (Sent | undefined)[]): Message[] {
  const messages: Message[] = []
  let group: Sent[] = []
  const close = (): void => {
    if (group.length > 0) messages.push(messageOf(group))
    group = []
  }
  for (const one of sent) {
    if (!one) continue
    const last = group.at(-1)
    const continues = last !== undefined && one.role === 'assistant' && one.id !== undefined && last.id === one.id
    if (!continues) close()
    group.push(one)
  }
  close()
  return messages
}

function messageOf(group: readonly Sent[]): Message {
  const first = group[0]
  const last = group.at(-1)
  const usage = group.findLast((sent) => sent.usage !== undefined)?.usage
  return {
    role: first?.role ?? 'user',
    // Spread once more: flatMap leaves room for growth, which a million messages cannot afford.
    blocks: group.length === 1 && first ? first.blocks : [...group.flatMap((sent) => sent.blocks)],
    entries: group.map((sent) => sent.entry),
    ...(first?.kind === undefined ? {} : { kind: first.kind }),
    ...(first?.id === undefined ? {} : { id: first.id }),
    ...(first?.model === undefined ? {} : { model: first.model }),
    ...(usage === undefined ? {} : { usage }),
    ...(last?.time === undefined ? {} : { time: last.time }),
    ...(first?.about === undefined ? {} : { about: first.about }),
  }
}
