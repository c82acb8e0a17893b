/** Lines of entries that edits add; who, where and when is copied from the entry they follow. */
import { membersAt } from '../json-spans.ts'
import type { AddedEntry } from './chain-plan.ts'
import { quoted } from './splice-entry.ts'

const COPIED = [
  'isSidechain',
  'agentId',
  'userType',
  'entrypoint',
  'cwd',
  'sessionId',
  'version',
  'gitBranch',
  'slug',
  'timestamp',
]

/** The JSON of each added entry; `text` holds the entry they follow, at `start`. */
export function newEntriesJson(text: string, start: number, added: readonly AddedEntry[]): string[] {
  if (added.length === 0) return []
  const copied = copiedMembers(text, start, COPIED)
  return added.map((entry) => {
    const fields = [
      `"parentUuid":${JSON.stringify(entry.parent)}`,
      ...copied,
      ...messageFields(entry),
      `"uuid":${quoted(entry.key)}`,
    ]
    return `{${fields.join(',')}}`
  })
}

/** What stays of an entry whose message left but whose link must not: a system entry, which sends nothing. */
export function hollowEntryJson(text: string, start: number, parent: string | null | undefined): string {
  const fields = [
    ...(parent === undefined ? copiedMembers(text, start, ['parentUuid']) : [`"parentUuid":${JSON.stringify(parent)}`]),
    ...copiedMembers(text, start, COPIED),
    '"type":"system","subtype":"informational","content":"","level":"info"',
    ...copiedMembers(text, start, ['uuid']),
  ]
  return `{${fields.join(',')}}`
}

function copiedMembers(text: string, start: number, keys: readonly string[]): string[] {
  const members = membersAt(text, start)
  return keys.flatMap((key) => {
    const member = members.findLast((one) => one.key === key)
    return member ? [`${quoted(key)}:${text.slice(member.value.start, member.value.end)}`] : []
  })
}

function messageFields({ edit, anchor }: AddedEntry): string[] {
  if (edit.kind === 'insert-message') {
    const content = edit.role === 'user' ? quoted(edit.text) : `[{"type":"text","text":${quoted(edit.text)}}]`
    return [`"type":"${edit.role}"`, `"message":{"role":"${edit.role}","content":${content}}`]
  }
  const result = `{"tool_use_id":${quoted(edit.callId)},"type":"tool_result","content":${quoted(edit.text)},"is_error":${edit.isError}}`
  const source = anchor === null ? [] : [`"sourceToolAssistantUUID":${quoted(anchor)}`]
  return ['"type":"user"', `"message":{"role":"user","content":[${result}]}`, ...source]
}
