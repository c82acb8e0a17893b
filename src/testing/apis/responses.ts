/** OpenAI's Responses API: an answer is a list of items. */
import type { AnswerBlock } from '../script.ts'
import { tokensIn } from '../tokens.ts'
import { blocksOf, type WireUsage } from '../wire.ts'
import { type Api, namedEvent, pieces, type Said, type Saying } from './api.ts'
import { cachedPart, errorBody, failed, overflowed } from './openai.ts'

export const RESPONSES_API: Api = {
  format: 'openai-responses',
  malformed: ({ input }) =>
    typeof input === 'string' || Array.isArray(input) ? undefined : "Missing required parameter: 'input'.",
  promptOf: ({ model, tools, instructions, input = [] }) => ({
    model,
    parts: [
      ...blocksOf(tools).map((tool) => cachedPart('tool', tool)),
      ...(instructions === undefined ? [] : [cachedPart('instructions', instructions)]),
      ...(typeof input === 'string' ? [input] : input).map((item) => cachedPart('item', item)),
    ],
  }),
  say,
  fail: failed,
  overflow: overflowed,
  errorBody,
}

type Item = Readonly<Record<string, unknown>>

/** An item of the answer with the events that bring it, its end apart. */
interface StreamedItem {
  readonly item: Item
  readonly begun: Item
  readonly deltas: readonly (readonly [type: string, data: Item])[]
  readonly done: readonly (readonly [type: string, data: Item])[]
}

function say({ request, content, usage, stopReason, identify, at }: Saying): Said {
  const items = content.map((block, index) => itemOf(block, (name) => identify(`${name}${index}`)))
  const outputTokens = tokensIn(content)
  const reasoningTokens = tokensIn(content.filter(({ type }) => type === 'thinking'))
  const short = stopReason === 'max_tokens'
  const head = {
    id: `resp_${identify('message')}`,
    object: 'response',
    created_at: at,
    model: request.model,
    error: null,
    incomplete_details: null,
  }
  const whole = {
    ...head,
    status: short ? 'incomplete' : 'completed',
    incomplete_details: short ? { reason: 'max_output_tokens' } : null,
    output: items.map(({ item }) => item),
    usage: usageOf(usage, outputTokens, reasoningTokens),
  }
  const started = { ...head, status: 'in_progress', output: [], usage: null }
  let sequence = 0
  const numbered = (type: string, data: Item): string => namedEvent(type, { sequence_number: sequence++, ...data })
  const begin = [
    numbered('response.created', { response: started }),
    numbered('response.in_progress', { response: started }),
  ]
  let open: string[] = []
  items.forEach(({ item, begun, deltas, done }, index) => {
    const place = { output_index: index, item_id: item.id }
    begin.push(...open, numbered('response.output_item.added', { output_index: index, item: begun }))
    begin.push(...deltas.map(([type, data]) => numbered(type, { ...place, ...data })))
    open = [
      ...done.map(([type, data]) => numbered(type, { ...place, ...data })),
      numbered('response.output_item.done', { output_index: index, item }),
    ]
  })
  const end = [...open, numbered(short ? 'response.incomplete' : 'response.completed', { response: whole })]
  return { whole, begin, end, blocks: [], outputTokens }
}

function itemOf(block: AnswerBlock, identify: (name: string) => string): StreamedItem {
  if (block.type === 'text') return messageItem(block.text, `msg_${identify('text')}`)
  if (block.type === 'thinking') return reasoningItem(block.thinking, `rs_${identify('thinking')}`, identify('sealed'))
  const item = {
    type: 'function_call',
    id: `fc_${identify('item')}`,
    call_id: block.id ?? `call_${identify('call')}`,
    name: block.name,
    arguments: JSON.stringify(block.input),
    status: 'completed',
  }
  return {
    item,
    begun: { ...item, arguments: '', status: 'in_progress' },
    deltas: pieces(item.arguments).map((delta) => ['response.function_call_arguments.delta', { delta }]),
    done: [['response.function_call_arguments.done', { name: item.name, arguments: item.arguments }]],
  }
}

function messageItem(text: string, id: string): StreamedItem {
  const part = { type: 'output_text', text, annotations: [] }
  const item = { type: 'message', id, role: 'assistant', status: 'completed', content: [part] }
  const place = { content_index: 0 }
  return {
    item,
    begun: { ...item, status: 'in_progress', content: [] },
    deltas: [
      ['response.content_part.added', { ...place, part: { ...part, text: '' } }],
      ...pieces(text).map((delta) => ['response.output_text.delta', { ...place, delta }] as const),
    ],
    done: [
      ['response.output_text.done', { ...place, text }],
      ['response.content_part.done', { ...place, part }],
    ],
  }
}

function reasoningItem(text: string, id: string, sealed: string): StreamedItem {
  const part = { type: 'summary_text', text }
  const item = { type: 'reasoning', id, summary: [part], encrypted_content: sealed }
  const place = { summary_index: 0 }
  return {
    item,
    begun: { ...item, summary: [] },
    deltas: [
      ['response.reasoning_summary_part.added', { ...place, part: { ...part, text: '' } }],
      ...pieces(text).map((delta) => ['response.reasoning_summary_text.delta', { ...place, delta }] as const),
    ],
    done: [
      ['response.reasoning_summary_text.done', { ...place, text }],
      ['response.reasoning_summary_part.done', { ...place, part }],
    ],
  }
}

function usageOf(usage: WireUsage, output: number, reasoning: number): unknown {
  const input = usage.input_tokens + usage.cache_creation_input_tokens + usage.cache_read_input_tokens
  return {
    input_tokens: input,
    input_tokens_details: { cached_tokens: usage.cache_read_input_tokens },
    output_tokens: output,
    output_tokens_details: { reasoning_tokens: reasoning },
    total_tokens: input + output,
  }
}
