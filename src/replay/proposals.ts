/** What rules propose for a whole recording, remembered: hashing every text once is what takes time. */
import { answerOf, type Edit } from '../core/edits.ts'
import { estimateTokens } from '../core/tokens.ts'
import { addressKey } from '../core/transcript.ts'
import type { Recording } from './recording.ts'

/** What a rule would do with its window set to nothing; found once a recording, whatever windows are asked for. */
export interface Proposal {
  readonly key: string
  readonly kind: Edit['kind']
  readonly item: number | undefined
  /** The item of the result that leaves with its call. */
  readonly answer: number | undefined
  /** Estimated tokens. */
  readonly frees: number
  /** Estimated tokens of a call line. */
  readonly line: number
}

const FOUND = new WeakMap<Recording, Map<string, readonly Proposal[]>>()

/** `name` tells apart what `propose` depends on. */
export function proposals(recording: Recording, name: string, propose: () => readonly Edit[]): readonly Proposal[] {
  const found = FOUND.get(recording) ?? new Map<string, readonly Proposal[]>()
  FOUND.set(recording, found)
  const known = found.get(name)
  if (known) return known
  const made = propose().flatMap((edit): Proposal[] => {
    if (edit.frees <= 0) return []
    const result = answerOf(edit)
    const proposal = {
      key: addressKey(edit.at),
      kind: edit.kind,
      item: recording.itemOf.get(addressKey(edit.at)),
      answer: result && recording.itemOf.get(addressKey(result)),
      frees: edit.frees,
      line: edit.kind === 'fold-exchange' ? estimateTokens(edit.text) : 0,
    }
    return [proposal]
  })
  found.set(name, made)
  return made
}
