/**
 * Does a caller keep its own messages, or those that `fit` returned? Decisions are replayed on the first and already
 * stand in the second; the digests in the state tell, in whatever process the conversation goes on.
 */
import { createHash } from 'node:crypto'
import type { StoredEdit } from '../core/state.ts'
import type { FitState, PrefixMark } from './fit-state.ts'

/** Cache marks move with every request. */
const MOVING = new Set(['cache_control', 'cacheControl'])

/** Messages do not change once others follow them, so each is written out once. */
const digests = new WeakMap<object, string>()

export function markOf(items: readonly unknown[], count: number = items.length): PrefixMark {
  const prefix = items.slice(0, count).map((item, index) => digestOf(item, index < items.length - 1))
  return { count, digest: createHash('sha256').update(prefix.join('')).digest('base64url') }
}

function digestOf(item: unknown, isSettled: boolean): string {
  const key = typeof item === 'object' && item !== null && isSettled ? item : undefined
  const known = key && digests.get(key)
  if (known !== undefined) return known
  const digest = createHash('sha256').update(withoutMarks(item)).digest('base64url')
  if (key) digests.set(key, digest)
  return digest
}

/** A replacer is slow: it is asked only where a mark may stand. */
function withoutMarks(item: unknown): string {
  const json = JSON.stringify(item) ?? ''
  if (!json.includes('"cache')) return json
  return JSON.stringify(item, (key, value: unknown) => (MOVING.has(key) ? undefined : value)) ?? ''
}

/** The decisions that are still to be carried out on these messages. */
export function openDecisions(state: FitState, items: readonly unknown[]): readonly StoredEdit[] {
  const { decided, economy } = state
  if (!decided || economy.applied.length === 0 || !beginsWith(items, decided.output)) return economy.applied
  return beginsWith(items, decided.input) ? economy.applied : []
}

function beginsWith(items: readonly unknown[], mark: PrefixMark): boolean {
  return items.length >= mark.count && markOf(items, mark.count).digest === mark.digest
}
