/** Our examples for the rules of Gemini, DeepSeek, Mistral and Bedrock Converse. */
import type { RuleExample } from './example.ts'

type Fields = Readonly<Record<string, unknown>>
const gemini = (...contents: Fields[]) => ({ request: { contents } })
const asks = { role: 'user', parts: [{ text: 'Look' }] }
const functionCall = { functionCall: { name: 'look', args: {} } }
const signed = { ...functionCall, thoughtSignature: 'sig' }
const model = (...parts: Fields[]): Fields => ({ role: 'model', parts })
const responded = (name = 'look'): Fields => ({ functionResponse: { name, response: {} } })
const responds = (...parts: Fields[]): Fields => ({ role: 'user', parts })

export const GEMINI_EXAMPLES: readonly RuleExample[] = [
  {
    rule: 'F01',
    about: 'first',
    illegal: gemini(model(signed), responds(responded())),
    legal: gemini(asks, model(signed), responds(responded())),
    says: /immediately after a user turn/,
  },
  {
    rule: 'F01',
    about: 'behind the model',
    illegal: gemini(asks, model({ text: 'So' }), model(signed), responds(responded())),
    legal: gemini(asks, model(signed), responds(responded()), model(signed), responds(responded())),
  },
  {
    rule: 'F02',
    about: 'number',
    illegal: gemini(asks, model(signed, functionCall), responds(responded())),
    legal: gemini(asks, model(signed, functionCall), responds(responded(), responded())),
  },
  {
    rule: 'F02',
    about: 'name',
    illegal: gemini(asks, model(signed), responds(responded('find'))),
    legal: gemini(asks, model(signed), responds(responded())),
  },
  {
    rule: 'F03',
    illegal: gemini(asks, model(functionCall), responds(responded())),
    legal: gemini(asks, model(signed, functionCall), responds(responded(), responded())),
    says: /missing a thought_signature.*`default_api:look`, position 2/,
  },
  {
    rule: 'F03',
    about: 'an older turn',
    illegal: gemini(asks, model(functionCall), responds(responded())),
    legal: gemini(asks, model(functionCall), responds(responded()), model({ text: 'So' }), asks),
  },
  { rule: 'F04', about: 'empty', illegal: gemini({ role: 'user', parts: [{ text: '' }] }), legal: gemini(asks) },
  {
    rule: 'F04',
    about: 'role',
    illegal: gemini({ role: 'system', parts: [{ text: 'Be brief' }] }),
    legal: gemini(asks),
  },
  { rule: 'F04', about: 'in turn', illegal: gemini(asks, asks), legal: gemini(asks, model({ text: 'So' }), asks) },
]

const chat = (...messages: Fields[]) => ({ request: { messages } })
const user = { role: 'user', content: 'Look' }
const calls = (more: Fields, ...ids: string[]): Fields => ({
  role: 'assistant',
  content: '',
  tool_calls: ids.map((id) => ({ id, type: 'function', function: { name: 'look', arguments: '{}' } })),
  ...more,
})
const tool = (id: string): Fields => ({ role: 'tool', tool_call_id: id, content: 'seen' })
const reasoned = { reasoning_content: 'hm' }

export const DEEPSEEK_EXAMPLES: readonly RuleExample[] = [
  {
    rule: 'F10',
    illegal: chat(user, calls({}, 'call_a'), tool('call_a')),
    legal: chat(user, calls(reasoned, 'call_a'), tool('call_a')),
    says: /`reasoning_content` in the thinking mode must be passed back/,
  },
  {
    rule: 'F10',
    about: 'an older turn',
    illegal: chat(user, calls({}, 'call_a'), tool('call_a')),
    legal: chat(user, calls({}, 'call_a'), tool('call_a'), { role: 'assistant', content: 'So' }, user),
  },
  {
    rule: 'F10',
    about: 'on the Anthropic wire',
    illegal: chat(
      user,
      { role: 'assistant', content: [{ type: 'tool_use', id: 'a', name: 'look', input: {} }] },
      { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'a' }] },
    ),
    legal: chat(
      user,
      {
        role: 'assistant',
        content: [
          { type: 'thinking', thinking: 'hm', signature: '' },
          { type: 'tool_use', id: 'a', name: 'look', input: {} },
        ],
      },
      { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'a' }] },
    ),
  },
  {
    rule: 'F11',
    about: 'output',
    illegal: { request: { input: [{ type: 'function_call_output', call_id: 'call_a', output: 'seen' }] } },
    legal: {
      request: {
        input: [
          { type: 'function_call', call_id: 'call_a', name: 'look', arguments: '{}' },
          { type: 'function_call_output', call_id: 'call_a', output: 'seen' },
        ],
      },
    },
    says: /^No tool call found for tool output with call_id call_a\.$/,
  },
  {
    rule: 'F11',
    about: 'chat',
    illegal: chat(user, calls(reasoned, 'call_a'), user),
    legal: chat(user, calls(reasoned, 'call_a'), tool('call_a'), user),
  },
]

export const MISTRAL_EXAMPLES: readonly RuleExample[] = [
  {
    rule: 'F14',
    illegal: chat(user, calls({}, 'call_a'), tool('call_a')),
    legal: chat(user, calls({}, 'abcdefgh1'), tool('abcdefgh1')),
    says: /Tool call id was call_a but must be/,
  },
  {
    rule: 'F15',
    illegal: chat(user, calls({}, 'abcdefgh1'), tool('abcdefgh1'), user),
    legal: chat(user, calls({}, 'abcdefgh1'), tool('abcdefgh1'), { role: 'assistant', content: 'So' }, user),
    says: /Unexpected role 'user' after role 'tool'/,
  },
  {
    rule: 'F16',
    about: 'number',
    illegal: chat(user, calls({}, 'abcdefgh1', 'abcdefgh2'), tool('abcdefgh1')),
    legal: chat(user, calls({}, 'abcdefgh1', 'abcdefgh2'), tool('abcdefgh1'), tool('abcdefgh2')),
  },
  {
    rule: 'F16',
    about: 'last',
    illegal: chat(user, { role: 'assistant', content: 'So' }),
    legal: chat(user, { role: 'assistant', content: 'So', prefix: true }),
    says: /Expected last role User or Tool/,
  },
]

const converse = (more: Fields, ...messages: Fields[]) => ({ request: { ...more, messages } })
const says = (role: string, ...content: Fields[]): Fields => ({ role, content })
const words = (text: string): Fields => ({ text })
const use = (id: string): Fields => ({ toolUse: { toolUseId: id, name: 'look', input: {} } })
const result = (id: string, more: Fields = {}): Fields => ({
  toolResult: { toolUseId: id, content: [words('seen')], ...more },
})
const CONFIG = { toolConfig: { tools: [{ toolSpec: { name: 'look', inputSchema: { json: { type: 'object' } } } }] } }
const exchange = (ids: string[], results: Fields[]) =>
  converse(CONFIG, says('user', words('Look')), says('assistant', ...ids.map(use)), says('user', ...results))

export const BEDROCK_EXAMPLES: readonly RuleExample[] = [
  {
    rule: 'F20',
    about: 'first',
    illegal: converse({}, says('assistant', words('Hi'))),
    legal: converse({}, says('user', words('Hi'))),
    says: /must start with a user message/,
  },
  {
    rule: 'F20',
    about: 'in turn',
    illegal: converse({}, says('user', words('Hi')), says('user', words('So?'))),
    legal: converse({}, says('user', words('Hi'), words('So?'))),
    says: /alternate/,
  },
  {
    rule: 'F21',
    illegal: converse({}, ...exchange(['t1'], [result('t1')]).request.messages),
    legal: exchange(['t1'], [result('t1')]),
  },
  {
    rule: 'F22',
    about: 'missing',
    illegal: exchange(['t1', 't2'], [result('t1')]),
    legal: exchange(['t1', 't2'], [result('t1'), result('t2')]),
    says: /^Expected toolResult blocks at messages\.2\.content for the following Ids: t2$/,
  },
  {
    rule: 'F22',
    about: 'too many',
    illegal: exchange(['t1'], [result('t1'), result('t2')]),
    legal: exchange(['t1'], [result('t1')]),
    says: /exceeds the number of toolUse blocks/,
  },
  {
    rule: 'F22',
    about: 'twice',
    illegal: exchange(['t1', 't1'], [result('t1')]),
    legal: exchange(['t1'], [result('t1')]),
    says: /duplicate Ids: t1/,
  },
  {
    rule: 'F22',
    about: 'characters',
    illegal: exchange(['t.1'], [result('t.1')]),
    legal: exchange(['t1'], [result('t1')]),
  },
  {
    rule: 'F23',
    about: 'error',
    illegal: exchange(['t1'], [result('t1', { status: 'error', content: [] })]),
    legal: exchange(['t1'], [result('t1', { status: 'error' })]),
    says: /messages\.2\.content\.0\.toolResult cannot be empty/,
  },
  {
    rule: 'F23',
    about: 'blank',
    illegal: converse({}, says('user', words(' '))),
    legal: converse({}, says('user', words('Hi'))),
  },
]
