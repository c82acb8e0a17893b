/**
 * One load: the view is planned, what it no longer shows is archived, the decisions are stored, and only then it is
 * given out. A step that fails leaves the view of the decisions made before, at worst the transcript as it was recorded.
 */

import type { SessionKey, SessionStore, SessionStoreEntry } from '../formats/claude-code/index.ts'
import { archiveRemoved } from './archive-removed.ts'
import { type Decisions, storeDecisions } from './decisions.ts'
import type { Recording, View } from './economized-view.ts'
import { decidedView, economizedView } from './economized-view.ts'
import { contextFor, type EconomyStoreOptions, type Epoch, policyFor, timeOf } from './economy-options.ts'
import type { Fallback, StoreEvent } from './store-events.ts'

export interface Load {
  readonly inner: SessionStore
  readonly key: SessionKey
  readonly recording: Recording
  /** Of earlier epochs. */
  readonly decisions: Decisions
  readonly epoch: Epoch
  readonly options: EconomyStoreOptions
  readonly tell: (event: StoreEvent) => void
}

interface Loaded {
  readonly entries: SessionStoreEntry[]
  readonly decisions: Decisions
}

/** Never rejects. */
export async function loadView(load: Load): Promise<Loaded> {
  const { key, recording, decisions, epoch, options } = load
  let doing: Fallback['doing'] = 'plan'
  try {
    const policy = policyFor(recording.session, options)
    const context = { ...contextFor(recording.session, options, { epoch }), answerLast: true }
    const view = economizedView(recording, decisions.passes, policy, context)
    if (view.added > 0) {
      doing = 'archive'
      await archiveRemoved(key, view.removed, {
        asked: options.archive,
        workingFolder: recording.session.facts.cwd,
        time: timeOf(options),
      })
    } else if (!hasWaited(view, decisions)) return { entries: view.entries, decisions }
    doing = 'store decisions'
    return await stored(load, view)
  } catch (error) {
    return fallback(load, doing, error)
  }
}

/** What waits is stored too, where a turn has passed since: it must not begin anew with every process. */
function hasWaited({ passes: [pass] }: View, { passes: [before] }: Decisions): boolean {
  const waits = (pass?.pending.length ?? 0) > 0 || (before?.pending.length ?? 0) > 0
  return waits && pass?.turns !== before?.turns
}

async function stored({ inner, key, recording, decisions: before, tell }: Load, view: View): Promise<Loaded> {
  const { decisions, isOurs } = await storeDecisions(inner, key, before, view.passes)
  // Another process has decided in the meantime: its decisions are what every later load gives.
  if (!isOurs) return { entries: decidedView(recording, decisions.passes).entries, decisions }
  const { outcome, report, plan } = view.economized
  if (view.added > 0) {
    const explanation = plan.explanation ?? []
    tell({ type: 'epoch', key, outcome, tokens: report.tokens, edits: view.added, explanation })
  }
  return { entries: view.entries, decisions }
}

function fallback({ key, recording, decisions, tell }: Load, doing: Fallback['doing'], error: unknown): Loaded {
  try {
    const { entries } = decidedView(recording, decisions.passes)
    tell({ type: 'fallback', key, view: decisions.passes.length > 0 ? 'decided' : 'recorded', doing, error })
    return { entries, decisions }
  } catch (second) {
    tell({ type: 'fallback', key, view: 'recorded', doing, error: new AggregateError([error, second], String(error)) })
    return { entries: [...recording.entries], decisions }
  }
}
