/** What each edit has cost by waiting, from the state of the last decision. */
import type { Edit } from '../core/edits.ts'
import { type EconomyState, placedEdits } from '../core/state.ts'
import type { Transcript } from '../core/transcript.ts'
import { addressKey, turnsOf } from '../core/transcript.ts'

/**
 * For each edit, in uncached input tokens: what it had waited for, and since then `price` for every token it would
 * have freed in every turn. Asking twice between two calls counts once.
 */
export function waitedFor(
  transcript: Transcript,
  state: EconomyState,
  edits: readonly Edit[],
  price: number,
): number[] {
  const turns = turnsOf(transcript).length
  const passed = state.turns === undefined ? 0 : Math.max(0, turns - state.turns)
  const before = new Map<string, number>()
  placedEdits(
    transcript,
    state.pending.map(({ edit }) => edit),
  ).forEach((edit, index) => {
    if (edit) before.set(keyOf(edit), state.pending[index]?.waited ?? 0)
  })
  return edits.map((edit) => {
    const waited = before.get(keyOf(edit))
    return waited === undefined ? 0 : waited + passed * price * edit.frees
  })
}

/** An exchange that may fold now has waited as its result did before. */
function keyOf(edit: Edit): string {
  const result = edit.kind === 'fold-exchange' || edit.kind === 'drop-exchange' ? edit.result : undefined
  return addressKey(result ?? edit.at)
}
