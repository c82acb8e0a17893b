import { describe, expect, it } from 'vitest'
import type { JsonValue, Message } from '../core/transcript.ts'
import { messages } from './messages/index.ts'
import { standsAlone } from './provider-pieces.ts'
import { responses } from './responses/index.ts'

const search = { type: 'server_tool_use', id: 'srvtoolu_1', name: 'web_search', input: {} }
const found = { type: 'web_search_tool_result', tool_use_id: 'srvtoolu_1', content: [] }
const code = { type: 'server_tool_use', id: 'srvtoolu_2', name: 'code_execution', input: {} }
const made = {
  type: 'tool_use',
  id: 't',
  name: 'x',
  input: {},
  caller: { type: 'code_execution_20260120', tool_id: 'srvtoolu_2' },
}

function read(role: string, content: JsonValue, before: JsonValue = []): Message {
  const items = [
    { role: 'user', content: 'q' },
    { role: 'assistant', content: before },
    { role, content },
  ]
  return messages.read({ messages: items }).transcript.messages[2] as Message
}

describe('pieces that only the provider can read', () => {
  it.each<[string, boolean, Message]>([
    ['words', true, read('assistant', [{ type: 'text', text: 'so' }])],
    ['a search with its result', true, read('assistant', [search, found, { type: 'text', text: 'so' }])],
    ['a search that has paused', false, read('assistant', [search])],
    ['a result whose call is elsewhere', false, read('assistant', [found])],
    ['a call that code made', false, read('assistant', [code, made])],
    ['its result', false, read('user', [{ type: 'tool_result', tool_use_id: 't', content: 'x' }], [code, made])],
    ['a compaction', false, read('assistant', [{ type: 'compaction', content: 'x' }])],
    ['what nobody knows', false, read('assistant', [{ type: 'novelty' }])],
    ['a file of a person', true, read('user', [{ type: 'document', source: { type: 'file', file_id: 'f' } }])],
  ])('%s: %s', (_, alone, message) => {
    expect(standsAlone(message)).toBe(alone)
  })

  it.each([
    [{ type: 'web_search_call', id: 'ws_1', status: 'completed' }, true],
    [{ type: 'item_reference', id: 'x' }, false],
    [{ type: 'compaction', id: 'x', encrypted_content: 'x' }, false],
    [{ type: 'mcp_approval_response', approval_request_id: 'x', approve: true }, false],
  ])('an item of Responses %j: %s', (item, alone) => {
    const [, message] = responses.read({ input: [{ role: 'user', content: 'q' }, item] }).transcript.messages
    expect(standsAlone(message as Message)).toBe(alone)
  })
})
