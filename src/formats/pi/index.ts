/** pi sessions and OpenClaw's JSONL, which is pi's format with extras (docs/formats-pi.md). */
import { fieldsOf } from '../fields.ts'
import type { Format } from '../format.ts'
import { checkPi, repairsOfPi } from './check.ts'
import { piReader } from './reader.ts'
import { piWriter } from './writer.ts'

const ROLES = new Set(['user', 'assistant', 'toolResult', 'system', 'custom', 'bashExecution', 'hookMessage'])

/** A pi header, or, where the header is lost, messages that carry their role inside. */
function detect(firstEntries: readonly unknown[]): boolean {
  return firstEntries.some((entry) => {
    const fields = fieldsOf(entry)
    if (fields?.type === 'session') return typeof fields.id === 'string'
    const role = fieldsOf(fields?.message)?.role
    return fields?.type === 'message' && typeof role === 'string' && ROLES.has(role)
  })
}

export const pi: Format = {
  name: 'pi',
  detect,
  reader: piReader,
  writer: piWriter,
  check: checkPi,
  repairs: repairsOfPi,
}
