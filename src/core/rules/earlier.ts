/** What rules before this one have decided in the same pass: what they took out is no longer there for it. */
import type { Edit } from '../edits.ts'
import { answerOf } from '../edits.ts'
import type { Address } from '../transcript.ts'
import { addressKey } from '../transcript.ts'

export interface Earlier {
  /** This block, or its message, has left. */
  isGone(at: Address): boolean
  /** This block stays with other words. */
  isReworked(at: Address): boolean
}

const NOTHING: Earlier = { isGone: () => false, isReworked: () => false }
const DROPS: ReadonlySet<Edit['kind']> = new Set(['drop-block', 'drop-exchange'])
const REWORKS: ReadonlySet<Edit['kind']> = new Set([
  'fold-exchange',
  'replace-text',
  'replace-result',
  'replace-arguments',
])

export function earlierOf(edits: readonly Edit[] | undefined): Earlier {
  if (!edits || edits.length === 0) return NOTHING
  const gone = new Set<string>()
  const reworked = new Set<string>()
  const entries = new Set<number>()
  for (const edit of edits) {
    if (edit.kind === 'drop-message') for (const entry of edit.entries) entries.add(entry)
    if (DROPS.has(edit.kind)) gone.add(addressKey(edit.at))
    if (REWORKS.has(edit.kind)) reworked.add(addressKey(edit.at))
    const result = answerOf(edit)
    if (result) gone.add(addressKey(result))
  }
  return {
    isGone: (at) => entries.has(at.entry) || gone.has(addressKey(at)),
    isReworked: (at) => reworked.has(addressKey(at)),
  }
}
