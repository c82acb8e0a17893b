/** One promise of a session store, as a check that any test runner can run. */
import type { FoldSummary, SessionKey, SessionStore, SessionStoreEntry } from '../../formats/claude-code/index.ts'

/**
 * Opens a store over the data of this place. Another call for the same place opens it once more, as another process
 * would; a place that was not named before is empty.
 */
export type OpenStore = (place: string) => SessionStore | Promise<SessionStore>

export interface ContractCheck {
  readonly name: string
  /** `should`: the contract recommends it, and the SDK's own in-memory store does without. */
  readonly level: 'must' | 'should'
  /** Two stores opened at one place see the same data: only for a store outside the process's memory. */
  readonly isShared: boolean
  /** @throws AssertionError where the promise is not kept; `not offered` where the store lacks the optional method */
  run(open: OpenStore): Promise<'kept' | 'not offered'>
}

export interface ContractOptions {
  /** The SDK's `foldSessionSummary`: what summaries are compared with. */
  readonly foldSummary?: FoldSummary
}

type Run = (open: OpenStore) => Promise<unknown>

export const must = (name: string, run: Run): ContractCheck => check(name, 'must', false, run)
export const should = (name: string, run: Run): ContractCheck => check(name, 'should', false, run)
/** Two stores over the same data. */
export const mustShared = (name: string, run: Run): ContractCheck => check(name, 'must', true, run)
export const shouldShared = (name: string, run: Run): ContractCheck => check(name, 'should', true, run)

/** What an optional method that is missing ends a check with. */
export const NOT_OFFERED = 'not offered'

function check(name: string, level: ContractCheck['level'], isShared: boolean, run: Run): ContractCheck {
  return {
    name,
    level,
    isShared,
    run: async (open) => ((await run(open)) === NOT_OFFERED ? 'not offered' : 'kept'),
  }
}

export const PROJECT = '-home-dev-proj'
export const KEY: SessionKey = { projectKey: PROJECT, sessionId: '0b8f6c1e-0000-4000-8000-000000000001' }
export const OTHER: SessionKey = { projectKey: PROJECT, sessionId: '0b8f6c1e-0000-4000-8000-000000000002' }
export const WORKER: SessionKey = { ...KEY, subpath: 'subagents/agent-a1' }

/** `count` short messages in turn, from the user first, each the child of the one before; whole to resume from. */
export function conversation(count: number, about = 'one', from = 0): SessionStoreEntry[] {
  return Array.from({ length: count }, (_, index) => message(about, from + index))
}

function message(about: string, index: number): SessionStoreEntry {
  const role = index % 2 === 0 ? 'user' : 'assistant'
  const text = `${about} ${index}`
  const content = role === 'user' ? text : [{ type: 'text', text }]
  return {
    type: role,
    uuid: idOf(about, index),
    parentUuid: index === 0 ? null : idOf(about, index - 1),
    isSidechain: false,
    sessionId: KEY.sessionId,
    cwd: '/home/dev/proj',
    timestamp: new Date(Date.UTC(2026, 10, 30) + index * 1000).toISOString(),
    message:
      role === 'user' ? { role, content } : { id: `msg_${about}_${index}`, role, model: 'claude-opus-5-5', content },
  }
}

/** A UUID that the conversation's name and the place in it give. */
function idOf(about: string, index: number): string {
  const name = Buffer.from(about).toString('hex').slice(0, 12).padEnd(12, '0')
  return `${String(index).padStart(8, '0')}-0000-4000-8000-${name}`
}

export const title = (customTitle: string): SessionStoreEntry => ({ type: 'custom-title', customTitle })
