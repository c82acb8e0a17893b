/** Our examples for the rules of Anthropic Messages on shape, calls, server tools and system messages. */
import type { RuleExample } from './example.ts'
import {
  ask,
  assistant,
  BOUND,
  call,
  looked,
  MANUAL,
  result,
  serverCall,
  serverResult,
  system,
  TOOL,
  talk,
  text,
  thought,
  user,
} from './messages.ts'

const RAN_BY_CODE = { caller: { type: 'code_execution_20260120', tool_id: 'srvtoolu_code' } }
const PROGRAM = [
  user('Add them up'),
  assistant(serverCall('srvtoolu_code', 'code_execution'), call('toolu_a', RAN_BY_CODE)),
]
const CONTAINER = { container: 'container_a' }
const removal = (name: string) => ({ type: 'tool_removal', tool: { type: 'tool_reference', name } })
const definition = (name: string) => ({
  type: 'tool_addition',
  tool: { type: 'tool_definition', definition: { ...TOOL, name } },
})
const image = { type: 'image', source: { type: 'url', url: 'https://example.com/a.png' } }

export const STRUCTURE_EXAMPLES: readonly RuleExample[] = [
  { rule: 'A01', about: 'empty', illegal: talk(), legal: talk(user('Hello')), says: /at least one message/ },
  {
    rule: 'A01',
    about: 'unknown key',
    illegal: ask({ max_token: 5 }),
    legal: ask({ max_tokens: 5 }),
    says: /^max_token: Extra inputs/,
  },
  {
    rule: 'A01',
    about: 'unknown key of a block',
    illegal: talk(user(text('Hello', { note: 1 }))),
    legal: talk(user(text('Hello'))),
    says: /^messages\.0\.content\.0\.text\.note: Extra inputs/,
  },
  { rule: 'A01', about: 'no role', illegal: talk({ content: 'Hello' }), legal: talk(user('Hello')), says: /role/ },
  { rule: 'A01', about: 'no content', illegal: talk({ role: 'user' }), legal: talk(user('Hello')), says: /content/ },
  { rule: 'A02', legal: talk(user('One'), user('two'), assistant('three'), assistant('four'), user('five')) },
  {
    rule: 'A03',
    illegal: talk(assistant('Hello'), user('Hi')),
    legal: talk(user('Hi'), assistant('Hello'), user('So?')),
  },
  {
    rule: 'A04',
    illegal: ask({ model: BOUND }, user('Name one'), assistant('One is')),
    legal: ask({ model: MANUAL }, user('Name one'), assistant('One is')),
    says: /prefill/,
  },
  {
    rule: 'A05',
    illegal: ask({ model: MANUAL }, user('Name one'), assistant('One is\n')),
    legal: ask({ model: MANUAL }, user('Name one'), assistant('One is')),
  },
  {
    rule: 'A06',
    about: 'no blocks',
    illegal: talk(user('Hi'), assistant(), user('So?')),
    legal: talk(user('Hi'), assistant()),
    says: /^messages\.1: all messages must have non-empty content/,
  },
  { rule: 'A06', about: 'no words', illegal: talk(user('')), legal: talk(user('.')), says: /^messages\.0/ },
  {
    rule: 'A06',
    about: 'a system message that configures',
    illegal: talk(user('Hi'), { role: 'system', content: [] }),
    legal: talk(user('Hi'), { role: 'system', content: [], output_config: { effort: 'low' } }),
  },
  { rule: 'A07', illegal: talk(user(text(''), text('Hi'))), legal: talk(user(text('Hi'))) },
  {
    rule: 'A07',
    about: 'inside a result',
    illegal: talk(...looked().slice(0, 2), user(result('toolu_a', [text('')]))),
    legal: talk(...looked().slice(0, 2), user(result('toolu_a', ''))),
  },
  { rule: 'A07', about: 'in system', illegal: ask({ system: [text('')] }), legal: ask({ system: [text('Be kind')] }) },
  {
    rule: 'A08',
    illegal: talk(user('Hi'), assistant(text(' \n')), user('So?')),
    legal: talk(user('Hi'), assistant(text('.')), user('So?')),
  },
  {
    rule: 'A09',
    illegal: talk(user('What is there?'), assistant(call('toolu_a')), user('never mind')),
    legal: talk(...looked(), user('never mind')),
    says: /^messages\.1: `tool_use` ids were found without `tool_result` blocks immediately after: toolu_a\./,
  },
  { rule: 'A09', about: 'at the end', illegal: talk(...looked().slice(0, 2)), legal: talk(...looked()) },
  {
    rule: 'A10',
    illegal: talk(user('Both'), assistant(call('toolu_a'), call('toolu_b')), user(result('toolu_b'))),
    legal: talk(
      user('Both'),
      assistant(call('toolu_a'), call('toolu_b')),
      user(result('toolu_b')),
      user(result('toolu_a')),
    ),
    says: /immediately after: toolu_a\./,
  },
  {
    rule: 'A11',
    illegal: talk(user(result('toolu_a'))),
    legal: talk(...looked()),
    says: /^messages\.0\.content\.0: unexpected `tool_use_id` found in `tool_result` blocks: toolu_a\./,
  },
  {
    rule: 'A11',
    about: 'a turn too late',
    illegal: talk(...looked(), assistant('So'), user(result('toolu_a'))),
    legal: talk(...looked(), assistant('So'), user('And?')),
  },
  {
    rule: 'A12',
    illegal: talk(...looked(), user(result('toolu_a', 'again'))),
    legal: talk(...looked(), user('again')),
    says: /^messages\.3\.content\.0: each tool_use must have a single result/,
  },
  {
    rule: 'A13',
    illegal: talk(...looked(), ...looked().slice(1)),
    legal: talk(...looked(), ...looked('toolu_b').slice(1)),
    says: /^messages\.3\.content\.0: `tool_use` ids must be unique/,
  },
  {
    rule: 'A14',
    about: 'result',
    illegal: talk(user('Hi'), assistant(result('toolu_a'))),
    legal: talk(...looked()),
    says: /^messages\.1: `tool_result` blocks can only be in `user` messages/,
  },
  {
    rule: 'A14',
    about: 'thinking',
    illegal: talk(user(thought('sig'), text('Hi'))),
    legal: talk(user('Hi')),
    says: /`thinking`/,
  },
  {
    rule: 'A15',
    illegal: talk(...looked().slice(0, 2), user(text('Here'), result('toolu_a'))),
    legal: talk(...looked().slice(0, 2), user(result('toolu_a'), text('Here'))),
  },
  {
    rule: 'A16',
    about: 'a user message',
    illegal: talk(...looked().slice(0, 2), user('wait'), user(result('toolu_a'))),
    legal: talk(...looked(), user('wait')),
  },
  {
    rule: 'A16',
    about: 'a system message',
    illegal: talk(...looked().slice(0, 2), system('Be brief'), user(result('toolu_a'))),
    legal: talk(...looked(), system('Be brief')),
  },
  {
    rule: 'A17',
    about: 'call',
    illegal: talk(...looked('call|1')),
    legal: talk(...looked('call_1')),
    says: /^messages\.1\.content\.0\.tool_use\.id: String should match pattern/,
  },
  {
    rule: 'A18',
    illegal: talk(user('Find'), assistant(serverCall('ws_1'), serverResult('ws_1')), user('So?')),
    legal: talk(user('Find'), assistant(serverCall('srvtoolu_1'), serverResult('srvtoolu_1')), user('So?')),
  },
  {
    rule: 'A19',
    illegal: talk(user('Hi'), assistant(call('toolu_a', { input: '{}' })), user(result('toolu_a'))),
    legal: talk(...looked()),
    says: /tool_use\.input: Input should be a valid dictionary/,
  },
  {
    rule: 'A20',
    about: 'name',
    illegal: ask({ tools: [{ ...TOOL, name: 'a.b' }] }),
    legal: ask({ tools: [TOOL] }),
    says: /^tools\.0\.custom\.name/,
  },
  {
    rule: 'A20',
    about: 'unique',
    illegal: ask({ tools: [TOOL, TOOL] }),
    legal: ask({ tools: [TOOL] }),
    says: /unique/,
  },
  {
    rule: 'A20',
    about: 'schema',
    illegal: ask({ tools: [{ name: 'look', input_schema: { type: 'array' } }] }),
    legal: ask({ tools: [TOOL, { type: 'bash_20250124', name: 'bash' }] }),
    says: /input_schema/,
  },
  { rule: 'A21', illegal: talk(...looked()), legal: ask({ tools: [TOOL] }, ...looked()) },
  {
    rule: 'A22',
    illegal: talk(user('Find'), assistant(serverCall('srvtoolu_1')), user('So?')),
    legal: talk(user('Find'), assistant(serverCall('srvtoolu_1'), serverResult('srvtoolu_1')), user('So?')),
    says: /`web_search` tool use with id `srvtoolu_1` was found without a corresponding `web_search_tool_result` block/,
  },
  {
    rule: 'A22',
    about: 'pending at the end',
    illegal: talk(user('Find'), assistant(serverCall('srvtoolu_1')), user('So?')),
    legal: talk(user('Find'), assistant(serverCall('srvtoolu_1'))),
  },
  {
    rule: 'A22',
    about: 'code that waited for a client tool',
    illegal: ask(CONTAINER, ...PROGRAM, user(result('toolu_a')), assistant('Done'), user('So?')),
    legal: talk(
      ...PROGRAM,
      user(result('toolu_a')),
      assistant(serverResult('srvtoolu_code', 'code_execution'), text('Done')),
      user('So?'),
    ),
  },
  {
    rule: 'A23',
    illegal: talk(user('Find'), assistant(serverResult('srvtoolu_1')), user('So?')),
    legal: talk(user('Find'), assistant(serverCall('srvtoolu_1'), serverResult('srvtoolu_1')), user('So?')),
    says: /unexpected `tool_use_id` found in `web_search_tool_result` blocks: srvtoolu_1/,
  },
  {
    rule: 'A24',
    illegal: talk(user('Find'), assistant({ type: 'mcp_tool_use', id: 'm1', name: 'find', input: {} }), user('So?')),
    legal: talk(
      user('Find'),
      assistant(
        { type: 'mcp_tool_use', id: 'm1', name: 'find', server_name: 'books', input: {} },
        { type: 'mcp_tool_result', tool_use_id: 'm1', content: [text('found')], is_error: false },
      ),
      user('So?'),
    ),
  },
  {
    rule: 'A25',
    illegal: talk(...PROGRAM, user(result('toolu_a'))),
    legal: ask(CONTAINER, ...PROGRAM, user(result('toolu_a'))),
    says: /container_id is required/,
  },
  {
    rule: 'A26',
    illegal: ask(CONTAINER, ...PROGRAM, user(result('toolu_a'), text('go on'))),
    legal: ask(CONTAINER, ...PROGRAM, user(result('toolu_a'))),
  },
  {
    rule: 'A27',
    illegal: talk(user('Hi'), assistant(call('toolu_a', RAN_BY_CODE)), user(result('toolu_a'))),
    legal: talk(user('Hi'), assistant(call('toolu_a', { caller: { type: 'direct' } })), user(result('toolu_a'))),
  },
  {
    rule: 'A43',
    illegal: ask({ model: MANUAL }, user('Hi'), system('Be brief')),
    legal: ask({ model: BOUND }, user('Hi'), system('Be brief')),
    says: /Unexpected role "system"/,
  },
  {
    rule: 'A44',
    about: 'first',
    illegal: talk(system('Be brief'), assistant('Yes')),
    legal: talk(user('Hi'), system('Be brief')),
  },
  {
    rule: 'A44',
    about: 'before a user message',
    illegal: talk(user('Hi'), system('Be brief'), user('So?')),
    legal: talk(user('Hi'), user('So?'), system('Be brief'), system('Be kind')),
  },
  { rule: 'A45', illegal: talk(user('Hi'), system(image)), legal: talk(user(text('Hi'), image), system('Be brief')) },
  {
    rule: 'A45',
    about: 'cleared',
    illegal: talk(user('Hi'), {
      ...system(text('Now')),
      clear_at: 'next_user_message',
      output_config: { effort: 'low' },
    }),
    legal: talk(user('Hi'), { ...system(text('Now')), clear_at: 'next_user_message' }),
  },
  {
    rule: 'A46',
    about: 'removal',
    illegal: talk(user('Hi'), system(removal('look'))),
    legal: ask({ tools: [TOOL] }, user('Hi'), system(removal('look'))),
    says: /Tool reference 'look' not found/,
  },
  {
    rule: 'A46',
    about: 'reference in a result',
    illegal: ask(
      { tools: [TOOL] },
      ...looked().slice(0, 2),
      user(result('toolu_a', [{ type: 'tool_reference', tool_name: 'find' }])),
    ),
    legal: ask(
      { tools: [TOOL] },
      ...looked().slice(0, 2),
      user(result('toolu_a', [{ type: 'tool_reference', tool_name: 'look' }])),
    ),
  },
  {
    rule: 'A46',
    about: 'conflict',
    illegal: ask({ tools: [TOOL] }, user('Hi'), system(definition('look'))),
    legal: ask({ tools: [TOOL] }, user('Hi'), system(definition('find'), removal('find'))),
    says: /tool_name_conflict/,
  },
  {
    rule: 'A55',
    illegal: talk(...looked().slice(0, 2), user(result('toolu_a', [image], { is_error: true }))),
    legal: talk(...looked().slice(0, 2), user(result('toolu_a', [image]))),
    says: /all content must be type `text` if `is_error` is true/,
  },
  {
    rule: 'A55',
    about: 'kinds',
    illegal: talk(...looked().slice(0, 2), user(result('toolu_a', [call('toolu_b')]))),
    legal: talk(...looked().slice(0, 2), user(result('toolu_a', [text('b')]))),
  },
  {
    rule: 'A65',
    illegal: talk(user('Hi'), assistant(call('toolu_a', { toolset_name: 'computer' })), user(result('toolu_a'))),
    legal: talk(
      user('Hi'),
      assistant(call('toolu_a', { toolset_name: 'computer' })),
      user(result('toolu_a', 'seen', { toolset_name: 'computer' })),
    ),
  },
]
