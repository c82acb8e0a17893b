/**
 * What the Claude Agent SDK documents of a SessionStore, as checks for any implementation and any test runner
 * (docs/testing.md, docs/stores.md).
 */
import type { ContractCheck, ContractOptions } from './contract-check.ts'
import { LISTING_CHECKS, summaryChecks } from './listings.ts'
import { sharingChecks } from './sharing.ts'
import { TRANSCRIPT_CHECKS } from './transcripts.ts'

export type { ContractCheck, ContractOptions, OpenStore } from './contract-check.ts'

/** All checks; each opens stores of its own. Those of summaries only with `foldSummary`. */
export function sessionStoreContract(options: ContractOptions = {}): readonly ContractCheck[] {
  return [...TRANSCRIPT_CHECKS, ...LISTING_CHECKS, ...summaryChecks(options), ...sharingChecks(options)]
}
