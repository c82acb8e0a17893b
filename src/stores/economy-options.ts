/** How a store economizes: options, and what they mean for one session. */
import type { EconomyContext, Policy } from '../core/policy.ts'
import type { Session } from '../formats/format.ts'
import { measureOf, promptLimit } from '../planning/limit.ts'
import { plannedPolicy } from '../planning/plan.ts'
import { DEFAULT_PRESET, PRESETS, type PresetName } from '../planning/presets.ts'
import { pricesFor } from '../planning/prices.ts'
import type { StoreEvent } from './store-events.ts'

/** Why the history may change: a person asks, a session goes on, the next generation begins. */
export type Epoch = NonNullable<EconomyContext['epoch']>

export interface EconomyStoreOptions {
  /** Default: that of `preset`, timed by the prices of the model. */
  readonly policy?: Policy
  /** Default: `default`. */
  readonly preset?: PresetName
  /** The model that will read the view; default: the session's own. */
  readonly model?: string
  /** Tokens the prompt may have; default: the model's window less a reserve. */
  readonly limit?: number
  /** Folder of the archive; default: as for `compact` (docs/archive.md). */
  readonly archive?: string
  /** Called at once. What it throws becomes a warning of the process, never a failed load. */
  readonly onEvent?: (event: StoreEvent) => void
  /** Milliseconds since the epoch; default: the system's clock. */
  readonly clock?: () => number
}

export interface Moment {
  /** Milliseconds since the epoch; default: the store's clock. */
  readonly now?: number
  /** Default: `resume`. */
  readonly epoch?: Epoch
}

export function policyFor(session: Session, { policy, preset, model }: EconomyStoreOptions): Policy {
  if (policy) return policy
  return plannedPolicy(PRESETS[preset ?? DEFAULT_PRESET], pricesFor(model ?? session.main.model).prices)
}

export function contextFor(
  { main, facts }: Session,
  options: EconomyStoreOptions,
  { now = timeOf(options), epoch = 'resume' }: Moment,
): EconomyContext {
  const model = options.model ?? main.model
  const lastCallAt = main.messages.findLast((message) => message.role === 'assistant')?.time
  return {
    now,
    epoch,
    limit: options.limit ?? promptLimit(model, facts.requests),
    measure: measureOf(main),
    ...(lastCallAt === undefined ? {} : { lastCallAt }),
    ...(model === undefined ? {} : { model }),
  }
}

/** Now, in milliseconds since the epoch. */
export function timeOf({ clock = Date.now }: EconomyStoreOptions): number {
  return clock()
}
