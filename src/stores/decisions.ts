/**
 * The decisions of earlier epochs, kept beside the transcript they are about: in the same store, under a subkey of their
 * own, so that they travel with the session to whatever machine resumes it.
 *
 * Each record names the one it follows. Of two processes that decide at once the first to store wins; the other's record
 * follows nothing and is ignored.
 */
import { randomUUID } from 'node:crypto'
import { SpillwayError } from '../core/errors.ts'
import { type EconomyState, EMPTY_STATE, type StoredEdit } from '../core/state.ts'
import type { SessionKey, SessionStore, SessionStoreEntry } from '../formats/claude-code/index.ts'

/** Subkeys of ours; a resume does not see them. */
export const OWN_SUBPATHS = 'spillway/'
const DECISIONS_SUBPATH = `${OWN_SUBPATHS}decisions`
const RECORD_TYPE = 'spillway-decisions'
const RECORD_VERSION = 1

export interface Decisions {
  /** uuid of the newest record, null before the first. */
  readonly last: string | null
  /**
   * One state for each pass over the transcript. There is one pass, unless a repair brought another fault to light: the
   * second pass reads what the first has written.
   */
  readonly passes: readonly EconomyState[]
}

export const NO_DECISIONS: Decisions = { last: null, passes: [] }

interface DecisionRecord extends SessionStoreEntry {
  readonly version: number
  readonly follows: string | null
  readonly passes: readonly PassRecord[]
}

/** What one pass decided anew, and all that waits now. */
interface PassRecord extends Pick<EconomyState, 'pending' | 'turns'> {
  readonly added: readonly StoredEdit[]
}

/** @throws SpillwayError `newer-version`, `unreadable`, or what the store throws */
export async function readDecisions(store: SessionStore, key: SessionKey): Promise<Decisions> {
  const records = (await store.load(keyOfDecisions(key))) ?? []
  let decisions = NO_DECISIONS
  for (const entry of records) {
    const record = checked(entry)
    if (record.follows !== decisions.last) continue
    decisions = { last: record.uuid ?? null, passes: withRecord(decisions.passes, record.passes) }
  }
  return decisions
}

/**
 * Stores what `passes` hold beyond `before`.
 * @returns the decisions that count now: others, where another process was first
 */
export async function storeDecisions(
  store: SessionStore,
  key: SessionKey,
  before: Decisions,
  passes: readonly EconomyState[],
): Promise<{ readonly decisions: Decisions; readonly isOurs: boolean }> {
  const uuid = randomUUID()
  const record: DecisionRecord = {
    type: RECORD_TYPE,
    uuid,
    timestamp: new Date().toISOString(),
    version: RECORD_VERSION,
    follows: before.last,
    passes: passes.map(({ applied, pending, turns }, index) => ({
      added: applied.slice(before.passes[index]?.applied.length ?? 0),
      pending,
      ...(turns === undefined ? {} : { turns }),
    })),
  }
  await store.append(keyOfDecisions(key), [record])
  const decisions = await readDecisions(store, key)
  return { decisions, isOurs: decisions.last === uuid }
}

/** Decisions leave with their transcript, also where the store deletes one key only. */
export function keyOfDecisions({ projectKey, sessionId }: SessionKey): SessionKey {
  return { projectKey, sessionId, subpath: DECISIONS_SUBPATH }
}

function withRecord(passes: readonly EconomyState[], records: readonly PassRecord[]): EconomyState[] {
  return records.map(({ added, pending, turns }, index) => ({
    ...EMPTY_STATE,
    applied: [...(passes[index]?.applied ?? []), ...added],
    pending,
    ...(turns === undefined ? {} : { turns }),
  }))
}

function checked(entry: SessionStoreEntry): DecisionRecord {
  const { version, passes } = entry
  if (typeof version === 'number' && version > RECORD_VERSION) {
    const message = `decisions of version ${version}, this Spillway knows up to ${RECORD_VERSION}; update spillway`
    throw new SpillwayError('newer-version', message)
  }
  const isWhole = version === RECORD_VERSION && Array.isArray(passes) && passes.every(isPass)
  if (!isWhole) throw new SpillwayError('unreadable', `a record of decisions is none: ${entry.type}, ${entry.uuid}`)
  return entry as DecisionRecord
}

function isPass(pass: unknown): pass is PassRecord {
  if (typeof pass !== 'object' || pass === null) return false
  return 'added' in pass && Array.isArray(pass.added) && 'pending' in pass && Array.isArray(pass.pending)
}
