/** OpenAI's Chat Completions API, and what DeepSeek and Mistral make of it. */
import { tokensIn } from '../tokens.ts'
import { blocksOf, type WireRequest, type WireUsage } from '../wire.ts'
import { type Api, event, pieces, type Said, type Saying } from './api.ts'
import { malformedMessages } from './messages.ts'
import { cachedPart, errorBody, failed, overflowed } from './openai.ts'

/** Mistral wants its ids of calls this long; nobody else minds. */
const MISTRAL_ID_CHARS = 9

const FINISH_REASONS: Readonly<Record<string, string>> = {
  end_turn: 'stop',
  stop_sequence: 'stop',
  tool_use: 'tool_calls',
  max_tokens: 'length',
  refusal: 'content_filter',
}

export const CHAT_API: Api = {
  format: 'openai-chat',
  malformed: (body) => malformedMessages(body, "Missing required parameter: 'messages'."),
  promptOf: ({ model, tools, messages }) => ({
    model,
    parts: [
      ...blocksOf(tools).map((tool) => cachedPart('tool', tool)),
      ...messages.map((item) => cachedPart('message', item)),
    ],
  }),
  say,
  fail: failed,
  overflow: overflowed,
  errorBody,
}

interface ChatCall {
  readonly id: string
  readonly type: 'function'
  readonly function: { readonly name: string; readonly arguments: string }
}

function say({ request, content, usage, stopReason, identify, at }: Saying): Said {
  const { model } = request
  const texts = content.filter((block) => block.type === 'text').map(({ text }) => text)
  const text = texts.length > 0 ? texts.join('') : null
  const reasoning = givesReasoning(model)
    ? content.flatMap((block) => (block.type === 'thinking' ? block.thinking : []))
    : []
  const calls = content.flatMap((block, index): ChatCall[] => {
    if (block.type !== 'tool_use') return []
    const id = block.id ?? callId(model, identify(`call${index}`))
    return [{ id, type: 'function', function: { name: block.name, arguments: JSON.stringify(block.input) } }]
  })
  const thoughts = reasoning.length > 0 ? { reasoning_content: reasoning.join('\n') } : {}
  const message = {
    role: 'assistant',
    content: text,
    ...thoughts,
    ...(calls.length > 0 ? { tool_calls: calls } : {}),
  }
  const reason = stopReason ?? (calls.length > 0 ? 'tool_use' : 'end_turn')
  const finish = FINISH_REASONS[reason] ?? reason
  const outputTokens = tokensIn(content)
  const spent = usageOf(usage, outputTokens)
  const head = { id: `chatcmpl-${identify('message')}`, created: at, model }
  const chunk = (delta: unknown, finishReason: string | null = null): string =>
    event({
      ...head,
      object: 'chat.completion.chunk',
      choices: [{ index: 0, delta, finish_reason: finishReason }],
    })
  const total = event({ ...head, object: 'chat.completion.chunk', choices: [], usage: spent })
  return {
    whole: {
      ...head,
      object: 'chat.completion',
      choices: [{ index: 0, message, logprobs: null, finish_reason: finish }],
      usage: spent,
    },
    begin: [
      chunk({ role: 'assistant', content: text === null ? null : '' }),
      ...reasoning.flatMap(pieces).map((piece) => chunk({ reasoning_content: piece })),
      ...pieces(text ?? '').map((piece) => chunk({ content: piece })),
      ...calls.flatMap((call, index) => callDeltas(call, index).map((delta) => chunk({ tool_calls: [delta] }))),
    ],
    end: [chunk({}, finish), ...(wantsUsage(request) ? [total] : []), event('[DONE]')],
    blocks: [],
    outputTokens,
  }
}

/** OpenAI keeps its reasoning to itself on this API; DeepSeek gives it and wants it back (F10). */
function givesReasoning(model: string): boolean {
  return model.includes('deepseek')
}

function callId(model: string, id: string): string {
  return isMistral(model) ? id.slice(0, MISTRAL_ID_CHARS) : `call_${id}`
}

export function isMistral(model: string): boolean {
  return /mistral|ministral|codestral|devstral|magistral|pixtral/.test(model)
}

function callDeltas(call: ChatCall, index: number): unknown[] {
  const { name, arguments: input } = call.function
  return [
    { index, id: call.id, type: 'function', function: { name, arguments: '' } },
    ...pieces(input).map((piece) => ({ index, function: { arguments: piece } })),
  ]
}

function wantsUsage({ stream_options: options }: WireRequest): boolean {
  return typeof options === 'object' && options !== null && 'include_usage' in options && options.include_usage === true
}

function usageOf(usage: WireUsage, output: number): unknown {
  const prompt = usage.input_tokens + usage.cache_creation_input_tokens + usage.cache_read_input_tokens
  return {
    prompt_tokens: prompt,
    completion_tokens: output,
    total_tokens: prompt + output,
    prompt_tokens_details: { cached_tokens: usage.cache_read_input_tokens },
  }
}
