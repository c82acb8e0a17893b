/** Reading fields of recorded objects without trusting their types. */
import type { JsonObject } from '../../core/transcript.ts'

export type Fields = Readonly<Record<string, unknown>>

export function fieldsOf(value: unknown): Fields | undefined {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Fields) : undefined
}

/** What JSON.parse gave, as the neutral view carries it. */
export function jsonObject(value: unknown): JsonObject {
  return (fieldsOf(value) ?? {}) as JsonObject
}

export function textOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined
}

export function countOf(value: unknown): number {
  return typeof value === 'number' && Number.isFinite(value) ? value : 0
}

/** Milliseconds since the epoch of an ISO time, undefined when it is none. */
export function timeOf(value: unknown): number | undefined {
  if (typeof value !== 'string') return undefined
  const time = Date.parse(value)
  return Number.isNaN(time) ? undefined : time
}
