/** The same conversation in every shape that `fit` takes, told step by step as a loop tells it. */
import type { Shape } from '../../src/loops/fit-options.ts'

export type Item = Readonly<Record<string, unknown>>

export interface Call {
  readonly id: string
  readonly tool: string
  readonly input: Record<string, unknown>
}

export interface LoopShape {
  readonly name: Shape
  /** A model whose rules the shape's provider keeps. */
  readonly model: string
  user(text: string): Item[]
  answer(text: string): Item[]
  /** An answer of the model with calls, in words and parallel. */
  calls(text: string, calls: readonly Call[]): Item[]
  results(results: readonly { readonly call: Call; readonly text: string; readonly isError?: boolean }[]): Item[]
  tools(names: readonly string[], description?: string): unknown
}

const schema = { type: 'object', properties: { command: { type: 'string' } } }

const messages: LoopShape = {
  name: 'messages',
  model: 'claude-sonnet-4-5',
  user: (text) => [{ role: 'user', content: text }],
  answer: (text) => [{ role: 'assistant', content: [{ type: 'text', text }] }],
  calls: (text, calls) => [
    {
      role: 'assistant',
      content: [
        ...(text === '' ? [] : [{ type: 'text', text }]),
        ...calls.map(({ id, tool, input }) => ({ type: 'tool_use', id, name: tool, input })),
      ],
    },
  ],
  results: (results) => [
    {
      role: 'user',
      content: results.map(({ call, text, isError }) => ({
        type: 'tool_result',
        tool_use_id: call.id,
        content: text,
        ...(isError ? { is_error: true } : {}),
      })),
    },
  ],
  tools: (names, description = 'does it') => names.map((name) => ({ name, description, input_schema: schema })),
}

const chat: LoopShape = {
  name: 'chat',
  model: 'gpt-5',
  user: (text) => [{ role: 'user', content: text }],
  answer: (text) => [{ role: 'assistant', content: text }],
  calls: (text, calls) => [
    {
      role: 'assistant',
      content: text === '' ? null : text,
      tool_calls: calls.map(({ id, tool, input }) => ({
        type: 'function',
        id,
        function: { name: tool, arguments: JSON.stringify(input) },
      })),
    },
  ],
  results: (results) => results.map(({ call, text }) => ({ role: 'tool', tool_call_id: call.id, content: text })),
  tools: (names, description = 'does it') =>
    names.map((name) => ({ type: 'function', function: { name, description, parameters: schema } })),
}

const responses: LoopShape = {
  name: 'responses',
  model: 'gpt-5',
  user: (text) => [{ type: 'message', role: 'user', content: [{ type: 'input_text', text }] }],
  answer: (text) => [{ type: 'message', role: 'assistant', content: [{ type: 'output_text', text, annotations: [] }] }],
  calls: (text, calls) => [
    ...(text === '' ? [] : responses.answer(text)),
    ...calls.map(({ id, tool, input }) => ({
      type: 'function_call',
      call_id: id,
      name: tool,
      arguments: JSON.stringify(input),
    })),
  ],
  results: (results) =>
    results.map(({ call, text }) => ({ type: 'function_call_output', call_id: call.id, output: text })),
  tools: (names, description = 'does it') =>
    names.map((name) => ({ type: 'function', name, description, parameters: schema })),
}

const aiSdk: LoopShape = {
  name: 'ai-sdk',
  model: 'gpt-5',
  user: (text) => [{ role: 'user', content: text }],
  answer: (text) => [{ role: 'assistant', content: [{ type: 'text', text }] }],
  calls: (text, calls) => [
    {
      role: 'assistant',
      content: [
        ...(text === '' ? [] : [{ type: 'text', text }]),
        ...calls.map(({ id, tool, input }) => ({ type: 'tool-call', toolCallId: id, toolName: tool, input })),
      ],
    },
  ],
  results: (results) => [
    {
      role: 'tool',
      content: results.map(({ call, text, isError }) => ({
        type: 'tool-result',
        toolCallId: call.id,
        toolName: call.tool,
        output: { type: isError ? 'error-text' : 'text', value: text },
      })),
    },
  ],
  tools: (names, description = 'does it') =>
    Object.fromEntries(names.map((name) => [name, { description, inputSchema: { jsonSchema: schema } }])),
}

export const LOOP_SHAPES: readonly LoopShape[] = [messages, chat, responses, aiSdk]

/** A call and its result. */
export function step(shape: LoopShape, index: number, text: string, tool = 'Bash'): Item[] {
  const call = { id: `call_${index}`, tool, input: { command: `make step-${index}` } }
  return [...shape.calls(`step ${index}`, [call]), ...shape.results([{ call, text }])]
}

/** Everything that would be sent, as one text. */
export function spoken(items: readonly unknown[]): string {
  return JSON.stringify(items)
}

/** Words that cost about as many tokens. */
export function words(name: string, tokens: number): string {
  return Array.from({ length: tokens }, (_, index) => (index % 10 === 0 ? name : 'word')).join(' ')
}
