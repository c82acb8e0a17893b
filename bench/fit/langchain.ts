/** LangChain's and deepagents' own code on our trajectory; messages go there and back by role. */
import {
  AIMessage,
  type BaseMessage,
  HumanMessage,
  SystemMessage,
  ToolMessage,
  trimMessages,
} from '@langchain/core/messages'
import { FakeListChatModel } from '@langchain/core/utils/testing'
import { type AnyBackendProtocol, createSummarizationMiddleware } from 'deepagents'
import { ClearToolUsesEdit, contextEditingMiddleware } from 'langchain'
import type { Peer } from './peer.ts'
import { tokensOf } from './tokens.ts'
import type { ChatMessage } from './trajectory.ts'

function toLangChain(message: ChatMessage): BaseMessage {
  switch (message.role) {
    case 'system':
      return new SystemMessage(message.content)
    case 'user':
      return new HumanMessage(message.content)
    case 'tool':
      return new ToolMessage({ content: message.content, tool_call_id: message.tool_call_id })
    case 'assistant':
      return new AIMessage({
        content: message.content,
        tool_calls: (message.tool_calls ?? []).map(({ id, function: { name, arguments: input } }) => {
          return { id, name, args: JSON.parse(input) as Record<string, unknown>, type: 'tool_call' as const }
        }),
      })
  }
}

const converted = new WeakMap<BaseMessage, ChatMessage>()

function chatOf(message: BaseMessage): ChatMessage {
  const known = converted.get(message) ?? toChat(message)
  converted.set(message, known)
  return known
}

function toChat(message: BaseMessage): ChatMessage {
  const content = typeof message.content === 'string' ? message.content : JSON.stringify(message.content)
  if (SystemMessage.isInstance(message)) return { role: 'system', content }
  if (ToolMessage.isInstance(message)) return { role: 'tool', tool_call_id: message.tool_call_id, content }
  if (!AIMessage.isInstance(message)) return { role: 'user', content }
  const calls = (message.tool_calls ?? []).map(({ id = '', name, args }) => {
    return { id, type: 'function' as const, function: { name, arguments: JSON.stringify(args) } }
  })
  return { role: 'assistant', content, ...(calls.length > 0 ? { tool_calls: calls } : {}) }
}

/** LangChain messages are made once and kept, as its agents keep their state. */
function converter(): (messages: readonly ChatMessage[]) => BaseMessage[] {
  const known = new WeakMap<ChatMessage, BaseMessage>()
  return (messages) =>
    messages.map((message) => {
      const made = known.get(message) ?? toLangChain(message)
      known.set(message, made)
      return made
    })
}

/** The settings of LangChain's documentation for a chat history. */
export const TRIM_MESSAGES: Peer = {
  name: 'LangChain trimMessages',
  begin(limit) {
    const convert = converter()
    return async (history) => {
      const trimmed = await trimMessages(convert(history), {
        maxTokens: limit,
        tokenCounter: (messages) => tokensOf(messages.map(chatOf)),
        strategy: 'last',
        includeSystem: true,
        startOn: 'human',
        endOn: ['human', 'tool'],
      })
      // Where no human message fits, it gives back one that is undefined.
      return { messages: trimmed.filter((message) => message !== undefined).map(chatOf) }
    }
  },
}

/** A middleware as its agent would call it; its functions are typed for an agent that we do not build. */
interface ModelCallHook {
  wrapModelCall(
    request: unknown,
    handler: (request: { readonly messages: readonly BaseMessage[] }) => Promise<AIMessage>,
  ): Promise<unknown>
}

/** Its agent's state is one array: what was cleared once stays cleared. */
export const CONTEXT_EDITING: Peer = {
  name: 'LangChain contextEditing',
  begin(limit) {
    const convert = converter()
    const edits = [new ClearToolUsesEdit({ trigger: { tokens: limit } })]
    const hook = contextEditingMiddleware({ edits }) as unknown as ModelCallHook
    const state: BaseMessage[] = []
    let seen = 0
    return async (history) => {
      const [system, ...rest] = history
      state.push(...convert(rest.slice(seen)))
      seen = rest.length
      const { messages } = await called(hook, { messages: state, systemPrompt: system?.content, model: {}, tools: [] })
      return { messages: [...(system ? [system] : []), ...messages.map(chatOf)] }
    }
  },
}

/** The summariser is a stub that says the same of everything: no model is asked in this comparison. */
const SUMMARY = 'The billing service is being reworked; several files were read and changed, tests were run.'
const WINDOW_SHARE = 0.48

export const DEEPAGENTS: Peer = {
  name: 'deepagents summarization',
  begin(limit) {
    const convert = converter()
    const model = new FakeListChatModel({ responses: [SUMMARY] })
    Object.defineProperty(model, 'profile', { value: { maxInputTokens: Math.round(limit / WINDOW_SHARE) } })
    const files = new Map<string, Uint8Array>()
    const backend = filesBackend(files)
    const trigger = { type: 'tokens', value: limit } as const
    const keep = { type: 'fraction', value: 0.1 } as const
    const hook = createSummarizationMiddleware({ model, backend, trigger, keep }) as unknown as ModelCallHook
    let state: Record<string, unknown> = {}
    return async (history) => {
      const [system, ...rest] = history
      const systemMessage = new SystemMessage(system?.content ?? '')
      const request = { messages: convert(rest), state, model, systemMessage, tools: [] }
      const { messages, result } = await called(hook, request)
      const { update } = (result ?? {}) as { update?: Record<string, unknown> }
      if (update) state = { ...state, ...update }
      const prompt = [...(system ? [system] : []), ...messages.map(chatOf)]
      const named = [...files].filter(([path]) => prompt.some(({ content }) => content.includes(path)))
      const texts = named.map(([, bytes]) => new TextDecoder().decode(bytes))
      return { messages: prompt, canRecover: (text) => texts.some((each) => each.includes(text)) }
    }
  },
}

async function called(
  hook: ModelCallHook,
  request: unknown,
): Promise<{ messages: readonly BaseMessage[]; result: unknown }> {
  let sent: readonly BaseMessage[] = []
  const result = await hook.wrapModelCall(request, async ({ messages }) => {
    sent = messages
    return new AIMessage('ok')
  })
  return { messages: sent, result }
}

/** Files in memory, as far as the middleware asks for them. */
function filesBackend(files: Map<string, Uint8Array>): AnyBackendProtocol {
  const backend = {
    write: (path: string, content: string) => {
      files.set(path, new TextEncoder().encode(content))
      return { path }
    },
    downloadFiles: (paths: readonly string[]) =>
      paths.map((path) => ({
        path,
        content: files.get(path) ?? null,
        error: files.has(path) ? null : 'file_not_found',
      })),
    uploadFiles: (given: readonly (readonly [string, Uint8Array])[]) =>
      given.map(([path, content]) => {
        files.set(path, content)
        return { path, error: null }
      }),
  }
  return backend as unknown as AnyBackendProtocol
}
