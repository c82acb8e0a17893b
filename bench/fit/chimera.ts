/**
 * Chimera's compactor, written anew from its described behaviour (docs/fit-comparison.md): after a call whose prompt
 * reached the trigger, everything but the system message and the newest six messages becomes a note, and the task is
 * restored behind it.
 */
import type { Peer } from './peer.ts'
import { tokensOf } from './tokens.ts'
import type { ChatMessage } from './trajectory.ts'

const KEEP = 6

export const CHIMERA: Peer = {
  name: 'Chimera (as described)',
  begin(limit, task) {
    let current: ChatMessage[] = []
    let seen = 0
    return (history) => {
      const prompt = [...current, ...history.slice(seen)]
      seen = history.length
      current = tokensOf(prompt) >= limit ? compacted(prompt, task) : prompt
      return { messages: prompt }
    }
  },
}

function compacted(messages: readonly ChatMessage[], task: string): ChatMessage[] {
  const [first] = messages
  const head = first?.role === 'system' ? [first] : []
  const body = messages.slice(head.length)
  const older = body.slice(0, -KEEP)
  const recent = body.slice(-KEEP)
  while (recent[0]?.role === 'tool') older.push(...recent.splice(0, 1))
  if (older.length === 0 || recent.length === 0) return [...messages]
  const tools = older.flatMap((message) =>
    message.role === 'assistant' ? (message.tool_calls ?? []).map((call) => call.function.name) : [],
  )
  const names = [...new Set(tools)].sort().join(', ')
  const note =
    `[earlier conversation, compacted]\n${older.length} earlier messages were removed to free context. ` +
    `Tools used: ${names}. Re-read any file you need.`
  return [
    ...head,
    { role: 'user', content: note },
    { role: 'user', content: `[context restored after compaction]\n${task}` },
    ...recent,
  ]
}
