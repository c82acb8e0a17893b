/** Short spellings of Anthropic Messages blocks and messages. */
type Block = Readonly<Record<string, unknown>>

export const text = (words: string, more: Block = {}): Block => ({ type: 'text', text: words, ...more })
export const call = (id: string, more: Block = {}): Block => ({
  type: 'tool_use',
  id,
  name: 'look',
  input: {},
  ...more,
})
export const result = (id: string, content: unknown = 'seen', more: Block = {}): Block => ({
  type: 'tool_result',
  tool_use_id: id,
  content,
  ...more,
})
export const thought = (signature: string, words = ''): Block => ({ type: 'thinking', thinking: words, signature })
export const serverCall = (id: string, name = 'web_search', more: Block = {}): Block => ({
  type: 'server_tool_use',
  id,
  name,
  input: {},
  ...more,
})
export const serverResult = (id: string, name = 'web_search', content: unknown = []): Block => ({
  type: `${name}_tool_result`,
  tool_use_id: id,
  content,
})
export const MARK = { cache_control: { type: 'ephemeral' } }
export const LONG_MARK = { cache_control: { type: 'ephemeral', ttl: '1h' } }

export const says = (role: 'user' | 'assistant' | 'system', ...content: unknown[]): Block => ({
  role,
  content: content.length === 1 && typeof content[0] === 'string' ? content[0] : content,
})
export const user = (...content: unknown[]): Block => says('user', ...content)
export const assistant = (...content: unknown[]): Block => says('assistant', ...content)
export const system = (...content: unknown[]): Block => says('system', ...content)

export const TOOL = { name: 'look', input_schema: { type: 'object' } }
export const BOUND = 'claude-opus-5-5'
export const MANUAL = 'claude-sonnet-4-5'

/** A question, one call and its result. */
export const looked = (id = 'toolu_a'): Block[] => [user('What is there?'), assistant(call(id)), user(result(id))]
interface Request {
  readonly request: { readonly messages: readonly Block[]; readonly [field: string]: unknown }
}

export const talk = (...messages: Block[]): Request => ({ request: { messages } })
export const ask = (fields: Block, ...messages: Block[]): Request => ({
  request: { ...fields, messages: messages.length > 0 ? messages : [user('What is there?')] },
})
