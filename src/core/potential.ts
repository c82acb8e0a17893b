/** What each rule of a policy would free if it were the only one: proposals, nothing applied. */
import { claims } from './claims.ts'
import { DEFAULT_NEWEST_TURNS } from './economy.ts'
import type { Policy } from './policy.ts'
import { RULES } from './rules/index.ts'
import type { Transcript } from './transcript.ts'

/** Estimated tokens by rule; the newest turns and the task are protected as in `economize`. */
export function potentialOf(transcript: Transcript, policy: Policy): Record<string, number> {
  const free: Record<string, number> = {}
  for (const rule of RULES) {
    const proposals = rule.propose(transcript, policy.rules, { answerLast: false })
    const admitted = claims(transcript, policy.newestTurns ?? DEFAULT_NEWEST_TURNS).admit(proposals)
    free[rule.name] = admitted.reduce((sum, edit) => sum + edit.frees, 0)
  }
  return free
}
