import type { BudgetTerms } from '../planning/budget/index.ts'
import type { ContentArchive } from './content-archive.ts'
import type { FitOptions } from './fit-options.ts'
import type { FitState } from './fit-state.ts'
import type { Shaped } from './request.ts'

/** What one look at everything is about. */
export interface EpochInput {
  readonly messages: readonly unknown[]
  readonly options: FitOptions
  readonly shaped: Shaped
  readonly state: FitState
  readonly archive: ContentArchive
  readonly terms: Omit<BudgetTerms, 'noteSize' | 'standsAlone'>
}
