/**
 * Needles: what an answer used that only a tool result had said before (reference/planner.md section 3; peers.md
 * section 3). A needle is a literal identifier: a path, a name or a number. A policy that has taken the result out by
 * then would have made the model look again.
 */
import type { Item } from './recording.ts'

export interface Needle {
  /** The call whose answer used it. */
  readonly call: number
  /** The results that had said it, as items. */
  readonly sources: readonly number[]
}

interface Source {
  readonly text: string
  readonly item: number
  readonly turn: number
}

/** A path counts by its parts: an agent that uses the file's name alone uses it too. */
const WORD = /\w+/g
const FEWEST_CHARS = 5

/** `sources` in the order in which they were sent. */
export function needlesOf(items: readonly Item[], sources: readonly Source[]): Needle[] {
  const seen = new Map<string, { onlyResults: boolean; results: number[] }>()
  const needles: Needle[] = []
  for (const { text, item, turn } of sources) {
    const kind = items[item]?.kind
    const found = new Set(identifiersIn(text))
    for (const name of found) {
      const known = seen.get(name)
      if (kind === 'result') {
        if (!known) seen.set(name, { onlyResults: true, results: [item] })
        else if (known.onlyResults) known.results.push(item)
        continue
      }
      if (known?.onlyResults && (kind === 'words' || kind === 'call'))
        needles.push({ call: turn, sources: known.results })
      if (known) known.onlyResults = false
      else seen.set(name, { onlyResults: false, results: [] })
    }
  }
  return needles
}

function* identifiersIn(text: string): Generator<string> {
  for (const [word] of text.matchAll(WORD)) if (isIdentifier(word)) yield word
}

/** Long enough to name one thing, and written as no plain word is: with a digit, an underscore or a hump. */
function isIdentifier(word: string): boolean {
  return word.length >= FEWEST_CHARS && /[\d_]|[a-z][A-Z]/.test(word)
}
