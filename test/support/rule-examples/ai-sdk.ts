/** Our examples for the rules of the AI SDK's message arrays. */
import type { RuleExample } from './example.ts'

type Fields = Readonly<Record<string, unknown>>
const talk = (...messages: Fields[]) => ({ request: { messages } })
const user = (content: unknown): Fields => ({ role: 'user', content })
const assistant = (...content: Fields[]): Fields => ({ role: 'assistant', content })
const tool = (...content: Fields[]): Fields => ({ role: 'tool', content })
const call = (more: Fields = {}): Fields => ({
  type: 'tool-call',
  toolCallId: 'c1',
  toolName: 'look',
  input: {},
  ...more,
})
const result = (output: unknown = { type: 'text', value: 'seen' }): Fields => ({
  type: 'tool-result',
  toolCallId: 'c1',
  toolName: 'look',
  output,
})
const wanted = { type: 'tool-approval-request', approvalId: 'ap1', toolCallId: 'c1' }
const given = (approved: boolean): Fields => ({ type: 'tool-approval-response', approvalId: 'ap1', approved })
const looked = [user('Look'), assistant(call()), tool(result())]
const marked = (count: number) =>
  talk(
    user(
      Array.from({ length: count }, () => ({
        type: 'text',
        text: 'a',
        providerOptions: { anthropic: { cacheControl: { type: 'ephemeral' } } },
      })),
    ),
  )
const shown = (state: string) => ({
  request: {
    uiMessages: [{ id: '1', role: 'assistant', parts: [{ type: 'tool-look', toolCallId: 'c1', state, input: {} }] }],
  },
})

export const AI_SDK_EXAMPLES: readonly RuleExample[] = [
  {
    rule: 'C01',
    illegal: talk(...looked.slice(0, 2), user('So?')),
    legal: talk(...looked, user('So?')),
    says: /Tool result is missing for tool call c1\./,
  },
  {
    rule: 'C01',
    about: 'at the end',
    illegal: talk(...looked.slice(0, 2)),
    legal: talk(user('Look'), assistant(call(), wanted), tool(given(true))),
  },
  { rule: 'C02', about: 'orphan', illegal: talk(user('Look'), tool(result())), legal: talk(...looked) },
  { rule: 'C02', about: 'second', illegal: talk(...looked, tool(result())), legal: talk(...looked) },
  {
    rule: 'C03',
    about: 'system',
    illegal: talk({ role: 'system', content: [{ type: 'text', text: 'Be brief' }] }),
    legal: talk({ role: 'system', content: 'Be brief' }),
    says: /ModelMessage\[\] schema/,
  },
  { rule: 'C03', about: 'empty', illegal: talk(), legal: talk(user('Hi')), says: /messages must not be empty/ },
  { rule: 'C03', about: 'part', illegal: talk(user([call()])), legal: talk(user([{ type: 'text', text: 'Hi' }])) },
  {
    rule: 'C03',
    about: 'both',
    illegal: { request: { prompt: 'Hi', messages: [user('Hi')] } },
    legal: { request: { prompt: 'Hi' } },
  },
  { rule: 'C04', illegal: talk(...looked.slice(0, 2), tool(result('seen'))), legal: talk(...looked) },
  {
    rule: 'C05',
    about: 'no request',
    illegal: talk(user('Look'), assistant(call()), tool(given(true))),
    legal: talk(user('Look'), assistant(call(), wanted), tool(given(true))),
    says: /AI_InvalidToolApprovalError/,
  },
  {
    rule: 'C05',
    about: 'no call',
    illegal: talk(user('Look'), assistant(wanted), tool(given(true))),
    legal: talk(user('Look'), assistant(call(), wanted), tool(given(true))),
    says: /AI_ToolCallNotFoundForApprovalError/,
  },
  {
    rule: 'C06',
    illegal: talk(user('Look'), assistant(call(), wanted), tool(given(true)), user('So?')),
    legal: talk(user('Look'), assistant(call(), wanted), tool(given(true), result()), user('So?')),
  },
  {
    rule: 'C07',
    illegal: talk(user('Look'), assistant(call({ providerExecuted: true })), tool(result())),
    legal: talk(user('Look'), assistant(call({ providerExecuted: true }), result())),
  },
  {
    rule: 'C08',
    illegal: talk(user('Hi'), assistant({ type: 'reasoning', text: 'hm' }, { type: 'text', text: 'So' })),
    legal: talk(
      user('Hi'),
      assistant(
        { type: 'reasoning', text: 'hm', providerOptions: { anthropic: { signature: 'sig' } } },
        { type: 'text', text: 'So' },
      ),
    ),
  },
  { rule: 'C09', legal: talk(user([{ type: 'text', text: '' }]), ...looked, tool()) },
  { rule: 'C10', illegal: shown('input-available'), legal: shown('output-available') },
  {
    rule: 'C11',
    illegal: talk(user('Hi'), { role: 'system', content: 'Be brief' }),
    legal: talk({ role: 'system', content: 'Be brief' }, user('Hi')),
  },
  { rule: 'C12', illegal: marked(5), legal: marked(4), says: /found 5/ },
]
