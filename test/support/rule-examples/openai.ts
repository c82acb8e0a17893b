/** Our examples for the rules of OpenAI Chat Completions and Responses. */
import type { RuleExample } from './example.ts'

type Fields = Readonly<Record<string, unknown>>
const chat = (...messages: Fields[]) => ({ request: { messages } })
const user = (content: unknown, more: Fields = {}): Fields => ({ role: 'user', content, ...more })
const call = (id: string, name: unknown = 'look', input: unknown = '{}'): Fields => ({
  id,
  type: 'function',
  function: { name, arguments: input },
})
const calls = (...toolCalls: Fields[]): Fields => ({ role: 'assistant', content: null, tool_calls: toolCalls })
const tool = (id: string, content: unknown = 'seen'): Fields => ({ role: 'tool', tool_call_id: id, content })
const looked = (id = 'call_a'): Fields[] => [user('Look'), calls(call(id)), tool(id)]
const picture = { type: 'image_url', image_url: { url: 'https://example.com/a.png' } }

export const CHAT_EXAMPLES: readonly RuleExample[] = [
  {
    rule: 'B01',
    illegal: chat(user('Both'), calls(call('call_a'), call('call_b')), tool('call_b'), user('So?')),
    legal: chat(user('Both'), calls(call('call_a'), call('call_b')), tool('call_b'), tool('call_a'), user('So?')),
    says: /did not have response messages: call_a$/,
  },
  {
    rule: 'B01',
    about: 'parted',
    illegal: chat(user('Look'), calls(call('call_a')), user('wait'), tool('call_a')),
    legal: chat(...looked(), user('wait')),
  },
  {
    rule: 'B02',
    illegal: chat(user('Look'), tool('call_a')),
    legal: chat(...looked()),
    says: /must be a response to a preceeding message with 'tool_calls'/,
  },
  { rule: 'B03', about: 'results', illegal: chat(...looked(), tool('call_a')), legal: chat(...looked()) },
  {
    rule: 'B03',
    about: 'calls',
    illegal: chat(user('Look'), calls(call('call_a'), call('call_a')), tool('call_a')),
    legal: chat(...looked()),
  },
  {
    rule: 'B04',
    illegal: chat({ role: 'assistant', content: 'Hi', tool_calls: [] }),
    legal: chat({ role: 'assistant', content: 'Hi' }),
    says: /Invalid 'messages\[0\]\.tool_calls': empty array/,
  },
  { rule: 'B05', about: 'user', illegal: chat(user(null)), legal: chat(user('')), says: /expected a string, got null/ },
  {
    rule: 'B05',
    about: 'assistant',
    illegal: chat({ role: 'assistant' }),
    legal: chat({ role: 'assistant', refusal: 'No' }),
  },
  {
    rule: 'B06',
    about: 'empty name',
    illegal: chat(user('Look'), calls(call('call_a', '')), tool('call_a')),
    legal: chat(...looked()),
    says: /'messages\[1\]\.tool_calls\[0\]\.function\.name': empty string/,
  },
  {
    rule: 'B06',
    about: 'name',
    illegal: chat(user('Look'), calls(call('call_a', 'a b')), tool('call_a')),
    legal: chat(...looked()),
  },
  {
    rule: 'B06',
    about: 'long name',
    illegal: chat(user('Look'), calls(call('call_a', 'n'.repeat(65))), tool('call_a')),
    legal: chat(user('Look'), calls(call('call_a', 'n'.repeat(64))), tool('call_a')),
  },
  {
    rule: 'B06',
    about: 'arguments',
    illegal: chat(user('Look'), calls(call('call_a', 'look', {})), tool('call_a')),
    legal: chat(...looked()),
    says: /got an object instead/,
  },
  {
    rule: 'B07',
    illegal: chat(...looked('c'.repeat(41))),
    legal: chat(...looked('c'.repeat(40))),
    says: /maximum length 40, but got a string with length 41/,
  },
  { rule: 'B08', illegal: chat(user('Hi', { name: 'Ann B' })), legal: chat(user('Hi', { name: 'Ann_B' })) },
  {
    rule: 'B09',
    about: 'place',
    illegal: chat(user('Hi'), { role: 'system', content: 'Be brief' }),
    legal: chat({ role: 'system', content: 'Be brief' }, user('Hi')),
  },
  {
    rule: 'B09',
    about: 'reasoning models',
    illegal: { request: { model: 'o3', messages: [{ role: 'system', content: 'Be brief' }, user('Hi')] } },
    legal: { request: { model: 'o3', messages: [{ role: 'developer', content: 'Be brief' }, user('Hi')] } },
  },
  {
    rule: 'B10',
    illegal: chat(...looked().slice(0, 2), tool('call_a', [picture])),
    legal: chat(...looked(), user([picture])),
    says: /with role 'tool' contains an image URL/,
  },
  {
    rule: 'B11',
    illegal: { ...chat(user('Hi')), context: { inputTokens: 200_001 } },
    legal: { ...chat(user('Hi')), context: { inputTokens: 200_000 } },
    says: /maximum context length is 200000 tokens/,
  },
  {
    rule: 'B12',
    legal: chat({ role: 'assistant', content: 'Hi' }, user('a'), user('b'), { role: 'assistant', content: 'c' }),
  },
]

const input = (...items: Fields[]) => ({ request: { input: items } })
const says = (content: string): Fields => ({ role: 'user', content })
const calling = (more: Fields = {}): Fields => ({
  type: 'function_call',
  call_id: 'call_a',
  name: 'look',
  arguments: '{}',
  ...more,
})
const output = (more: Fields = {}): Fields => ({
  type: 'function_call_output',
  call_id: 'call_a',
  output: 'seen',
  ...more,
})
const reasoning = (more: Fields = {}): Fields => ({ type: 'reasoning', id: 'rs_1', summary: [], ...more })
const answer = (more: Fields = {}): Fields => ({
  type: 'message',
  role: 'assistant',
  id: 'msg_1',
  content: [{ type: 'output_text', text: 'So', annotations: [] }],
  ...more,
})

export const RESPONSES_EXAMPLES: readonly RuleExample[] = [
  {
    rule: 'B20',
    illegal: input(says('Look'), calling(), says('So?')),
    legal: input(says('Look'), calling(), output(), says('So?')),
    says: /^No tool output found for function call call_a\.$/,
  },
  {
    rule: 'B20',
    about: 'another kind',
    illegal: input(says('Look'), calling({ type: 'custom_tool_call' }), output()),
    legal: input(says('Look'), calling({ type: 'custom_tool_call' }), output({ type: 'custom_tool_call_output' })),
  },
  {
    rule: 'B21',
    illegal: input(says('Look'), output()),
    legal: input(says('Look'), calling(), output()),
    says: /^No tool call found for function call output with call_id call_a\.$/,
  },
  {
    rule: 'B21',
    about: 'stored before',
    illegal: input(output(), calling()),
    legal: { request: { previous_response_id: 'resp_1', input: [output()] } },
  },
  {
    rule: 'B22',
    illegal: input(says('Hi'), reasoning(), says('So?')),
    legal: input(says('Hi'), reasoning(), answer(), says('So?')),
    says: /^Item 'rs_1' of type 'reasoning' was provided without its required following item\.$/,
  },
  {
    rule: 'B22',
    about: 'last',
    illegal: input(says('Hi'), reasoning()),
    legal: input(says('Hi'), reasoning(), calling(), output()),
  },
  {
    rule: 'B23',
    illegal: input(says('Look'), calling({ id: 'fc_1' }), output()),
    legal: input(says('Look'), reasoning(), calling({ id: 'fc_1' }), output()),
    says: /^Item 'fc_1' of type 'function_call' was provided without its required 'reasoning' item/,
  },
  {
    rule: 'B23',
    about: 'a model that does not reason',
    illegal: input(says('Look'), reasoning(), answer(), says('So?'), calling({ id: 'fc_1' }), output()),
    legal: { request: { model: 'gpt-4o', input: [says('Look'), calling({ id: 'fc_1' }), output()] } },
  },
  {
    rule: 'B24',
    about: 'reference',
    illegal: { request: { store: false, input: [says('Hi'), { type: 'item_reference', id: 'msg_1' }] } },
    legal: { request: { store: true, input: [says('Hi'), { type: 'item_reference', id: 'msg_1' }] } },
    says: /^Item with id 'msg_1' not found\. Items are not persisted/,
  },
  {
    rule: 'B24',
    about: 'reasoning',
    illegal: { request: { store: false, input: [says('Hi'), reasoning(), answer()] } },
    legal: { request: { store: false, input: [says('Hi'), reasoning({ encrypted_content: 'e' }), answer()] } },
  },
  {
    rule: 'B25',
    about: 'prefix',
    illegal: input(says('Look'), reasoning(), calling({ id: 'call_a' }), output()),
    legal: input(says('Look'), reasoning(), calling({ id: 'fc_a' }), output()),
    says: /Expected an ID that begins with 'fc'/,
  },
  {
    rule: 'B25',
    about: 'length',
    illegal: input(answer({ id: `msg_${'1'.repeat(61)}` })),
    legal: input(answer({ id: `msg_${'1'.repeat(60)}` })),
    says: /maximum length 64, but got a string with length 65/,
  },
  { rule: 'B25', about: 'characters', illegal: input(answer({ id: 'msg_|' })), legal: input(answer()) },
  {
    rule: 'B26',
    illegal: input(answer(), answer()),
    legal: input(answer(), answer({ id: 'msg_2' })),
    says: /Duplicate item found with id msg_1/,
  },
  {
    rule: 'B27',
    illegal: { request: { previous_response_id: 'resp_1', conversation: { id: 'conv_1' }, input: 'Hi' } },
    legal: { request: { previous_response_id: 'resp_1', input: 'Hi' } },
  },
  {
    rule: 'B28',
    illegal: input({ type: 'compaction' }, says('Hi')),
    legal: input({ type: 'compaction', encrypted_content: 'e' }, says('Hi')),
    says: /input\[0\]\.encrypted_content/,
  },
  { rule: 'B29', about: 'phase', illegal: input(answer()), legal: input(answer({ phase: 'final_answer' })) },
  {
    rule: 'B29',
    about: 'marks',
    illegal: input(...Array.from({ length: 5 }, () => ({ ...says('Hi'), prompt_cache_breakpoint: {} }))),
    legal: input(...Array.from({ length: 4 }, () => ({ ...says('Hi'), prompt_cache_breakpoint: {} }))),
  },
  {
    rule: 'B30',
    illegal: input(says('Look'), reasoning(), calling({ id: 'fc_1' }), answer(), output()),
    legal: input(says('Look'), reasoning(), answer(), calling({ id: 'fc_1' }), output(), answer({ id: 'msg_2' })),
    says: /^Item 'msg_1' .*'rs_1'/,
  },
  {
    rule: 'B31',
    illegal: input(calling({ caller: { type: 'program', caller_id: 'gone' } }), output()),
    legal: input(
      { type: 'program', id: 'here' },
      calling({ caller: { type: 'program', caller_id: 'here' } }),
      output(),
    ),
  },
]
