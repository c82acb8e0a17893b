/**
 * The economized view over any session store: `load` gives out what Claude Code should go on with: small, legal, safe
 * for thinking. The recorded transcript stays in the inner store as it is.
 *
 * A load is a resume, so it may be an epoch: the plan decides, and what it decided is archived, stored and replayed byte
 * for byte by every later load. Whatever fails on the way, a session that the inner store has can be resumed.
 */
import { economize, type Outcome } from '../core/economy.ts'
import { EMPTY_STATE } from '../core/state.ts'
import type { SessionKey, SessionStore, SessionStoreEntry } from '../formats/claude-code/index.ts'
import { type Decisions, keyOfDecisions, OWN_SUBPATHS, readDecisions } from './decisions.ts'
import { contextFor, type EconomyStoreOptions, type Epoch, type Moment, policyFor } from './economy-options.ts'
import { type LiveTranscript, liveTranscript } from './live-transcript.ts'
import { loadView } from './load-view.ts'
import { prefixAlarm } from './prefix-alarm.ts'
import { recentKeys } from './recent-keys.ts'
import type { Fallback, StoreEvent } from './store-events.ts'

/** Transcripts kept in memory for `decide`, those used last. */
const MOST_LIVE = 8
/** Sessions whose appends are watched for broken prefixes. */
const MOST_WATCHED = 1000

/** What a load would decide now. */
export interface StoreDecision {
  readonly outcome: Outcome
  /** The plan would rewrite the history now: worth ending at a message boundary and resuming. */
  readonly flush: boolean
  /** Estimated tokens that a load would take out of the view now. */
  readonly frees: number
  /** The plan's lines, for people. */
  readonly explanation: readonly string[]
}

export class EconomyStore implements SessionStore {
  readonly listSessions?: NonNullable<SessionStore['listSessions']>
  readonly listSessionSummaries?: NonNullable<SessionStore['listSessionSummaries']>
  readonly delete?: NonNullable<SessionStore['delete']>
  readonly listSubkeys?: NonNullable<SessionStore['listSubkeys']>
  readonly #inner: SessionStore
  readonly #options: EconomyStoreOptions
  readonly #live = recentKeys<LiveTranscript>(MOST_LIVE)
  readonly #alarms = recentKeys<ReturnType<typeof prefixAlarm>>(MOST_WATCHED)
  readonly #forced = recentKeys<Epoch>(MOST_WATCHED)
  /** Entries that were told of: a load sees them again. */
  readonly #toldBroken = new Set<string>()

  /** @param inner holds the recorded transcripts; the optional methods that it lacks are absent here too */
  constructor(inner: SessionStore, options: EconomyStoreOptions = {}) {
    this.#inner = inner
    this.#options = options
    if (inner.listSessions) this.listSessions = inner.listSessions.bind(inner)
    if (inner.listSessionSummaries) this.listSessionSummaries = inner.listSessionSummaries.bind(inner)
    if (inner.delete) this.delete = deletingAll(inner.delete.bind(inner), (key) => this.#forget(key))
    if (inner.listSubkeys) this.listSubkeys = withoutOwn(inner.listSubkeys.bind(inner))
  }

  async append(key: SessionKey, entries: SessionStoreEntry[]): Promise<void> {
    await this.#inner.append(key, entries)
    if (key.subpath !== undefined) return
    this.#live.get(key)?.take(entries)
    this.#watch(key, entries)
  }

  /** The view of a main transcript; a subagent's as it is. Rejects only where the inner store does. */
  async load(key: SessionKey): Promise<SessionStoreEntry[] | null> {
    const recorded = await this.#inner.load(key)
    if (recorded === null || key.subpath !== undefined) return recorded
    const epoch = this.#forced.get(key) ?? 'resume'
    this.#forget(key)
    this.#watch(key, recorded)
    let doing: Fallback['doing'] = 'read decisions'
    try {
      const decisions = await this.#decisionsOf(key)
      doing = 'read'
      const live = liveTranscript(decisions)
      const entries = live.take(recorded)
      const recording = { entries, session: live.session() }
      const [inner, options] = [this.#inner, this.#options]
      const tell = (event: StoreEvent): void => this.#tell(event)
      const loaded = await loadView({ inner, key, recording, decisions, epoch, options, tell })
      live.decisions = loaded.decisions
      this.#live.set(key, live)
      return loaded.entries
    } catch (error) {
      this.#tell({ type: 'fallback', key, view: 'recorded', doing, error })
      return recorded
    }
  }

  /**
   * Would a load rewrite the history now? Nothing is changed or stored. Cheap where this store loaded the transcript:
   * it is kept up to date with what is appended. Undefined for an unknown key.
   */
  async decide(key: SessionKey, moment: Moment = {}): Promise<StoreDecision | undefined> {
    const live = this.#live.get(key) ?? (await this.#readLive(key))
    if (!live) return undefined
    const session = live.session()
    const [before = EMPTY_STATE, ...others] = live.decisions.passes
    const context = contextFor(session, this.#options, moment)
    const { plan, state, outcome, report } = economize(session.main, policyFor(session, this.#options), context, before)
    const flush = plan.edits.some((edit) => edit.purpose === 'economy')
    if (!flush) {
      // What waits has waited since the last time that was asked.
      const waiting = {
        ...before,
        pending: state.pending,
        ...(state.turns === undefined ? {} : { turns: state.turns }),
      }
      live.decisions = { ...live.decisions, passes: [waiting, ...others] }
    }
    const frees = report.tokens.before - report.tokens.after
    return { outcome, flush, frees, explanation: plan.explanation ?? [] }
  }

  /** The next load of this key is an epoch of this kind: `asked` and `handoff` rewrite whatever the sum says. */
  force(key: SessionKey, epoch: Epoch): void {
    this.#forced.set(key, epoch)
  }

  async #readLive(key: SessionKey): Promise<LiveTranscript | undefined> {
    const recorded = await this.#inner.load(key)
    if (recorded === null) return undefined
    const live = liveTranscript(await this.#decisionsOf(key))
    live.take(recorded)
    this.#live.set(key, live)
    return live
  }

  /** As they are stored; what waits counts on from where this process knows it. */
  async #decisionsOf(key: SessionKey): Promise<Decisions> {
    const known = this.#live.get(key)?.decisions
    const stored = await readDecisions(this.#inner, key)
    return known?.last === stored.last ? known : stored
  }

  #watch(key: SessionKey, entries: readonly SessionStoreEntry[]): void {
    const alarm = this.#alarms.get(key) ?? prefixAlarm()
    this.#alarms.set(key, alarm)
    for (const entry of entries) {
      const { uuid } = entry
      if (!alarm(entry) || (uuid !== undefined && this.#toldBroken.has(uuid))) continue
      if (uuid !== undefined) this.#toldBroken.add(uuid)
      this.#tell({ type: 'prefix-broken', key, uuid })
    }
  }

  #forget(key: SessionKey): void {
    this.#alarms.delete(key)
    this.#forced.delete(key)
  }

  #tell(event: StoreEvent): void {
    try {
      this.#options.onEvent?.(event)
    } catch (error) {
      process.emitWarning(`a listener of session store events failed: ${String(error)}`)
    }
  }
}

type Delete = NonNullable<SessionStore['delete']>
type ListSubkeys = NonNullable<SessionStore['listSubkeys']>

/** Decisions leave with their transcript, also from a store that deletes one key at a time. */
function deletingAll(inner: Delete, forget: (key: SessionKey) => void): Delete {
  return async (key) => {
    await inner(key)
    if (key.subpath !== undefined) return
    await inner(keyOfDecisions(key))
    forget(key)
  }
}

function withoutOwn(inner: ListSubkeys): ListSubkeys {
  return async (key) => (await inner(key)).filter((subpath) => !subpath.startsWith(OWN_SUBPATHS))
}
