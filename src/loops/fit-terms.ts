/** The numbers of one call: window, budget, floor, scale. */
import type { Transcript } from '../core/transcript.ts'
import { type Budget, budgetOf, type Floor, floorOf, type KnownWindow, windowFor } from '../planning/budget/index.ts'
import type { FitOptions } from './fit-options.ts'
import type { FitState } from './fit-state.ts'
import { scaleOf } from './learning.ts'
import { measurable, systemTexts } from './request.ts'

export interface FitTerms {
  readonly window: KnownWindow
  readonly budget: Budget
  readonly scale: number
}

/** @throws SpillwayError `usage` for impossible numbers */
export function termsOf(state: FitState, { window: stated, metadata, model, fraction, trigger }: FitOptions): FitTerms {
  const window = windowFor({
    learned: state.learned,
    metadata,
    ...(stated === undefined ? {} : { stated }),
    ...(model === undefined ? {} : { model }),
  })
  const shares = { ...(fraction === undefined ? {} : { fraction }), ...(trigger === undefined ? {} : { trigger }) }
  return { window, budget: budgetOf(window.tokens, shares), scale: scaleOf(state) }
}

/** What stands beside the messages; documents are looked for in the first message of the user too. */
export function floorBeside({ system, tools }: FitOptions, view?: Transcript): Floor {
  const opening = view?.messages.find(({ role }) => role === 'user')?.blocks ?? []
  return floorOf({
    system: systemTexts(system),
    tools: measurable(tools),
    opening: opening.flatMap((block) => (block.type === 'text' ? [block.text] : [])),
  })
}
