/** Histories torn apart: pieces that are lost, doubled and moved. */
import fc from 'fast-check'

/** Damage that nobody planned: pieces of the whole lost, doubled or out of place. */
export const shuffles = fc.array(
  fc.record({ at: fc.nat(200), to: fc.nat(200), what: fc.constantFrom('lose', 'double', 'move') }),
  {
    minLength: 1,
    maxLength: 5,
  },
)

export function shuffled<Piece>(
  pieces: readonly Piece[],
  changes: readonly { at: number; to: number; what: string }[],
): Piece[] {
  const result = [...pieces]
  for (const { at, to, what } of changes) {
    const from = at % Math.max(1, result.length)
    const [piece] = what === 'double' ? result.slice(from, from + 1) : result.splice(from, 1)
    if (piece !== undefined && what !== 'lose') result.splice(to % (result.length + 1), 0, piece)
  }
  return result
}
