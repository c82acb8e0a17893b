/** What the archive keeps of evicted turns: each turn as it was sent, and a ledger that names them. */
import type { Removed } from '../core/edits.ts'
import { elide } from '../core/pointer.ts'
import { removedText } from '../core/removed.ts'
import type { Transcript } from '../core/transcript.ts'
import type { EvictableTurn, NoteFacts } from '../planning/budget/index.ts'

const MOST_TARGET_CHARS = 120

export interface Ledger {
  readonly removed: readonly Removed[]
  /** Counted on from the earlier note. */
  readonly facts: NoteFacts
}

/** @param items the native messages; `earlier` is what the last note said */
export function ledgerOf(
  transcript: Transcript,
  items: readonly unknown[],
  turns: readonly EvictableTurn[],
  earlier: NoteFacts | undefined,
): Ledger {
  const places = new Map(transcript.links.map(({ entry, line }) => [entry, line - 1]))
  const records: Removed[] = []
  const lines = earlier ? [`Earlier turns: ${earlier.ref}`] : []
  for (const turn of turns) {
    const record = recordOf(transcript, items, places, turn)
    records.push(record)
    const names = turn.calls.map(({ tool, target }) =>
      target === undefined ? tool : `${tool} ${elide(target, MOST_TARGET_CHARS)}`,
    )
    lines.push(`${record.ref}: ${names.join('; ') || 'words'}`)
  }
  const at = { thread: transcript.thread, entry: turns[0]?.entries[0] ?? 0 }
  const ledger = removedText(lines.join('\n'), {
    at,
    rule: 'turns',
    class: 'restorable',
    target: 'ledger of evicted turns',
  })
  return { removed: [...records, ledger], facts: countedOn(earlier, turns, ledger.ref) }
}

/** A turn's messages as JSON, in the caller's own shape. */
function recordOf(
  transcript: Transcript,
  items: readonly unknown[],
  places: ReadonlyMap<number, number>,
  turn: EvictableTurn,
): Removed {
  const entries = [...turn.entries, ...turn.blocks.map(({ entry }) => entry)].filter((entry) => entry >= 0)
  const indexes = [...new Set(entries.map((entry) => places.get(entry) ?? entry))].sort((one, other) => one - other)
  const target = turn.calls.map((call) => call.target ?? call.tool).join('; ')
  const facts = { rule: 'turns', class: 'restorable', target } as const
  const at = { thread: transcript.thread, entry: entries[0] ?? 0 }
  const json = JSON.stringify(indexes.map((index) => items[index]))
  return removedText(json, { ...facts, at }, 'application/json')
}

/** What the next note says: the counts of the earlier one and these turns. */
export function countedOn(earlier: NoteFacts | undefined, turns: readonly EvictableTurn[], ref: string): NoteFacts {
  const byTool: Record<string, number> = { ...earlier?.byTool }
  const calls = turns.flatMap((turn) => turn.calls)
  for (const { tool } of calls) byTool[tool] = (byTool[tool] ?? 0) + 1
  return {
    ref,
    turns: (earlier?.turns ?? 0) + turns.length,
    calls: (earlier?.calls ?? 0) + calls.length,
    byTool,
  }
}
