/** The AI SDK's own pruneMessages, with the options of its documentation, once the prompt reaches the limit. */
import { type ModelMessage, pruneMessages } from 'ai'
import type { Peer } from './peer.ts'
import { tokensOf } from './tokens.ts'
import type { ChatMessage } from './trajectory.ts'

export const PRUNE_MESSAGES: Peer = {
  name: 'AI SDK pruneMessages',
  begin: (limit) => (history) => {
    if (tokensOf(history) < limit) return { messages: history }
    const pruned = pruneMessages({
      messages: toModelMessages(history),
      reasoning: 'before-last-message',
      toolCalls: 'before-last-2-messages',
      emptyMessages: 'remove',
    })
    return { messages: pruned.flatMap(toChat) }
  },
}

function toModelMessages(messages: readonly ChatMessage[]): ModelMessage[] {
  const names = new Map<string, string>()
  return messages.map((message): ModelMessage => {
    if (message.role === 'tool') {
      const { tool_call_id: toolCallId, content } = message
      const output = { type: 'text', value: content } as const
      return {
        role: 'tool',
        content: [{ type: 'tool-result', toolCallId, toolName: names.get(toolCallId) ?? '', output }],
      }
    }
    if (message.role !== 'assistant') return { ...message }
    const calls = (message.tool_calls ?? []).map(({ id, function: { name, arguments: input } }) => {
      names.set(id, name)
      return { type: 'tool-call', toolCallId: id, toolName: name, input: JSON.parse(input) as unknown } as const
    })
    return { role: 'assistant', content: [{ type: 'text', text: message.content }, ...calls] }
  })
}

function toChat(message: ModelMessage): ChatMessage[] {
  const { role, content } = message
  if (role === 'system' || typeof content === 'string') return [{ role, content } as ChatMessage]
  if (role === 'tool') {
    return content.flatMap((part) => {
      if (part.type !== 'tool-result' || part.output.type !== 'text') return []
      return [{ role: 'tool', tool_call_id: part.toolCallId, content: part.output.value }]
    })
  }
  const text = content.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('\n')
  if (role === 'user') return [{ role, content: text }]
  const calls = content.flatMap((part) => {
    if (part.type !== 'tool-call') return []
    return [
      {
        id: part.toolCallId,
        type: 'function',
        function: { name: part.toolName, arguments: JSON.stringify(part.input) },
      },
    ] as const
  })
  return [{ role, content: text, ...(calls.length > 0 ? { tool_calls: calls } : {}) }]
}
