/** What Claude Code notes about a subagent beside its transcript: in a store as an entry of its own, repeated, last wins. */
import { fieldsOf, textOf } from '../fields.ts'

const METADATA_TYPE = 'agent_metadata'

/** The id of the call that started the subagent, where this entry of its transcript says so. */
export function spawningCall(entry: unknown): string | undefined {
  const fields = fieldsOf(entry)
  return fields?.type === METADATA_TYPE ? textOf(fields.toolUseId) : undefined
}
