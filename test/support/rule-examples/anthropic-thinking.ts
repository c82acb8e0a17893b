/** Our examples for the rules of Anthropic Messages on thinking, its memory, and compaction. */
import type { RuleExample } from './example.ts'
import {
  ask,
  assistant,
  BOUND,
  call,
  looked,
  MANUAL,
  MARK,
  result,
  TOOL,
  talk,
  text,
  thought,
  user,
} from './messages.ts'

type Block = Readonly<Record<string, unknown>>

/** Two steps of a loop with thinking, as sent; `seen` is what the first result says. */
const steps = (seen: unknown, ...second: Block[]): Block[] => [
  user('What is there?'),
  assistant(thought('sig-a'), call('toolu_a')),
  user(result('toolu_a', seen)),
  assistant(...second, call('toolu_b')),
  user(result('toolu_b')),
]
const whole = ask({ model: BOUND, tools: [TOOL] }, ...steps('a long listing', thought('sig-b')))
const edited = (fields: Block, ...second: Block[]) =>
  ask({ model: BOUND, tools: [TOOL], ...fields }, ...steps('gone', ...second))
const chat = (...kept: readonly (readonly [signature: string | undefined, words: string])[]): Block[] => [
  user('Count'),
  ...kept.flatMap(([signature, words]) => [
    assistant(...(signature === undefined ? [] : [thought(signature)]), text(words)),
    user('next'),
  ]),
]
const counted = ask({ model: BOUND }, ...chat(['sig-a', 'one'], ['sig-b', 'two'], ['sig-c', 'three']))
const two = [thought('sig-a', 'first'), thought('sig-b', 'second')]
const manual = { model: MANUAL, thinking: { type: 'enabled', budget_tokens: 2000 } }

const summary = { type: 'compaction', content: 'They counted.', signature: 'sig-summary' }
const compacted = {
  request: { model: BOUND, messages: chat(['sig-a', 'one']), compaction: { type: 'summarize' } },
  answer: [summary],
}
const later = ask({ model: BOUND }, ...chat(['sig-a', 'one'], ['sig-b', 'two']))
const COMPACT = { context: { betas: ['compact-2026-09-04'] } }
const fallback = { type: 'fallback', from: { model: 'claude-one' }, to: { model: 'claude-two' } }
const redacted = (data: string) => ({ type: 'redacted_thinking', data })
const opaque = (content: string) => [
  user('Find'),
  assistant(
    { type: 'server_tool_use', id: 'srvtoolu_1', name: 'web_search', input: {} },
    {
      type: 'web_search_tool_result',
      tool_use_id: 'srvtoolu_1',
      content: [{ type: 'web_search_result', url: 'https://example.com', title: 'A', encrypted_content: content }],
    },
  ),
  user('So?'),
]

export const THINKING_EXAMPLES: readonly RuleExample[] = [
  {
    rule: 'A28',
    about: 'redacted thinking',
    illegal: {
      ...talk(user('Hi'), assistant(redacted('changed')), user('So?')),
      after: [talk(user('Hi'), assistant(redacted('made')), user('So?'))],
    },
    legal: {
      ...talk(user('Hi'), assistant(redacted('made')), user('So?')),
      after: [talk(user('Hi'), assistant(redacted('made')), user('So?'))],
    },
    says: /Invalid `data` in `redacted_thinking` block/,
  },
  {
    rule: 'A28',
    about: 'search results',
    illegal: { ...talk(...opaque('changed')), after: [talk(...opaque('made'))] },
    legal: { ...talk(...opaque('made')), after: [talk(...opaque('made'))] },
    says: /Invalid `encrypted_content` in `web_search_result` block/,
  },
  {
    rule: 'A29',
    about: 'unknown',
    illegal: { ...talk(...chat(['sig-x', 'one'])), after: [] },
    legal: {
      ...talk(...chat(['sig-x', 'one'])),
      after: [{ ...talk(user('Count')), answer: [thought('sig-x'), text('one')] }],
    },
    says: /^messages\.1\.content\.0: Invalid `signature` in `thinking` block$/,
  },
  { rule: 'A29', about: 'empty', illegal: talk(...chat(['', 'one'])), legal: talk(...chat(['sig-x', 'one'])) },
  {
    rule: 'A30',
    about: 'edited',
    illegal: {
      ...talk(user('Hi'), assistant(thought('sig-a', 'other'), call('toolu_a')), user(result('toolu_a'))),
      after: [talk(user('Hi'), assistant(thought('sig-a', 'first'), call('toolu_a')))],
    },
    legal: {
      ...talk(user('Hi'), assistant(thought('sig-a', 'first'), call('toolu_a')), user(result('toolu_a'))),
      after: [talk(user('Hi'), assistant(thought('sig-a', 'first'), call('toolu_a')))],
    },
    says: /in the latest assistant message cannot be modified/,
  },
  {
    rule: 'A30',
    about: 'partly left out',
    illegal: {
      ...talk(user('Hi'), assistant(thought('sig-b', 'second'), text('so')), user('And?')),
      after: [talk(user('Hi'), assistant(...two, text('so')))],
    },
    legal: {
      ...talk(user('Hi'), assistant(...two, text('so')), user('And?')),
      after: [talk(user('Hi'), assistant(...two, text('so')))],
    },
  },
  {
    rule: 'A31',
    illegal: ask(manual, ...looked()),
    legal: ask(manual, user('What is there?'), assistant(thought('sig-a'), call('toolu_a')), user(result('toolu_a'))),
    says: /Expected `thinking` or `redacted_thinking`, but found `tool_use`/,
  },
  {
    rule: 'A31',
    about: 'a step that was answered without thinking',
    illegal: { ...ask(manual, ...steps('seen')), after: [ask(manual, ...steps('seen', thought('sig-b')))] },
    legal: { ...ask(manual, ...steps('seen')), after: [ask(manual, ...steps('seen'))] },
  },
  {
    rule: 'A32',
    illegal: talk(user('Hi'), assistant(text('so'), thought('sig-a')), user('And?')),
    legal: talk(user('Hi'), assistant(thought('sig-a'), text('so')), user('And?')),
    says: /Found `text`/,
  },
  {
    rule: 'A33',
    about: 'an edited result',
    illegal: { ...edited({}, thought('sig-b')), after: [whole] },
    legal: { ...edited({}), after: [whole] },
    says: /^messages\.3\.content\.0: Invalid `signature` in `thinking` block\. The block is bound to a different conversation\. Remove the block, or set `thinking\.block_binding\.prefix_mismatch_behavior` to "drop_block"\./,
  },
  {
    rule: 'A33',
    about: 'another tool',
    illegal: {
      ...ask({ model: BOUND, tools: [{ ...TOOL, name: 'find' }] }, ...steps('a long listing', thought('sig-b'))),
      after: [whole],
    },
    legal: {
      ...ask(
        { model: BOUND, tools: [TOOL, { ...TOOL, name: 'find', defer_loading: true }] },
        ...steps('a long listing', thought('sig-b')),
      ),
      after: [whole],
    },
  },
  {
    rule: 'A33',
    about: 'blocks that may be dropped',
    illegal: { ...edited({}, thought('sig-b')), after: [whole] },
    legal: {
      ...edited(
        { thinking: { type: 'adaptive', block_binding: { prefix_mismatch_behavior: 'drop_block' } } },
        thought('sig-b'),
      ),
      after: [whole],
      context: { betas: ['thinking-binding-controls-2026-08-01'] },
    },
  },
  {
    rule: 'A33',
    about: 'a model that does not bind',
    illegal: { ...edited({}, thought('sig-b')), after: [whole] },
    legal: {
      ...edited({ model: MANUAL }, thought('sig-b')),
      after: [ask({ model: MANUAL, tools: [TOOL] }, ...steps('a long listing', thought('sig-b')))],
    },
  },
  {
    rule: 'A34',
    about: 'a gap',
    illegal: {
      ...ask({ model: BOUND }, ...chat(['sig-a', 'one'], [undefined, 'two'], ['sig-c', 'three'])),
      after: [counted],
    },
    legal: {
      ...ask({ model: BOUND }, ...chat([undefined, 'one'], [undefined, 'two'], ['sig-c', 'three'])),
      after: [counted],
    },
    says: /^messages\.5\.content\.0: .*bound to a different conversation/,
  },
  {
    rule: 'A34',
    about: 'put back',
    illegal: {
      ...counted,
      after: [
        ask({ model: BOUND }, ...chat(['sig-a', 'one'], ['sig-b', 'two'])),
        ask({ model: BOUND }, ...chat(['sig-a', 'one'], [undefined, 'two'], ['sig-c', 'three'])),
      ],
    },
    legal: {
      ...ask({ model: BOUND }, ...chat(['sig-a', 'one'], [undefined, 'two'], ['sig-c', 'three'])),
      after: [ask({ model: BOUND }, ...chat(['sig-a', 'one'], [undefined, 'two'], ['sig-c', 'three']))],
    },
  },
  {
    rule: 'A35',
    legal: {
      ...ask(
        {
          model: BOUND,
          tools: [{ ...TOOL, ...MARK }],
          max_tokens: 5,
          tool_choice: { type: 'auto' },
          output_config: { effort: 'low' },
        },
        user(text('What is there?', MARK)),
        ...steps([text('a long listing')], thought('sig-b')).slice(1),
      ),
      after: [whole],
    },
  },
  {
    rule: 'A36',
    illegal: {
      ...ask({ model: 'claude-fable-5-2' }, ...chat([undefined, 'one'])),
      after: [ask({ model: BOUND }, ...chat(['sig-a', 'one']))],
    },
    legal: {
      ...ask({ model: 'claude-fable-5-2' }, ...chat(['sig-a', 'one'])),
      after: [ask({ model: BOUND }, ...chat(['sig-a', 'one']))],
    },
  },
  {
    rule: 'A41',
    illegal: {
      ...talk(user('Hi'), assistant(...two, text('so')), user('And?')),
      after: [talk(user('Hi'), assistant(two[0], fallback, two[1], text('so')))],
    },
    legal: {
      ...talk(user('Hi'), assistant(two[0], fallback, two[1], text('so')), user('And?')),
      after: [talk(user('Hi'), assistant(two[0], fallback, two[1], text('so')))],
    },
  },
  {
    rule: 'A42',
    legal: ask(
      { model: BOUND },
      user('Find'),
      assistant({ type: 'server_tool_use', id: 'srvtoolu_1', name: 'web_search', input: {} }),
    ),
  },
  {
    rule: 'A47',
    about: 'not first',
    illegal: { ...talk(user('Count'), assistant(summary), user('next')), ...COMPACT },
    legal: { ...talk(assistant(summary), user('next')), ...COMPACT },
    says: /must be sent first, in place of the messages it summarizes/,
  },
  {
    rule: 'A47',
    about: 'two of them',
    illegal: { ...talk(assistant(summary, { ...summary, signature: 'sig-2' }), user('next')), ...COMPACT },
    legal: {
      ...talk(assistant(summary, { type: 'compaction', content: null, signature: 'sig-2' }), user('next')),
      ...COMPACT,
    },
    says: /compaction_block_ambiguous/,
  },
  {
    rule: 'A48',
    about: 'changed',
    illegal: {
      ...talk(assistant({ ...summary, content: 'They did not.' }), user('next')),
      ...COMPACT,
      after: [compacted],
    },
    legal: { ...talk(assistant(summary), user('next')), ...COMPACT, after: [compacted] },
    says: /compaction_content_mismatch/,
  },
  {
    rule: 'A48',
    about: 'signature',
    illegal: { ...talk(assistant({ ...summary, signature: 'other' }), user('next')), ...COMPACT, after: [compacted] },
    legal: { ...talk(assistant(summary), user('next')), ...COMPACT, after: [compacted] },
    says: /compaction_signature_invalid/,
  },
  {
    rule: 'A48',
    about: 'empty',
    illegal: { ...talk(assistant({ ...summary, content: '' }), user('next')), ...COMPACT },
    legal: { ...talk(assistant(summary), user('next')), ...COMPACT },
  },
  {
    rule: 'A49',
    about: 'both',
    illegal: { ...ask({ compaction: { type: 'summarize' }, context_management: { edits: [] } }), ...COMPACT },
    legal: { ...ask({ compaction: { type: 'summarize' } }), ...COMPACT },
  },
  {
    rule: 'A49',
    about: 'unfinished',
    illegal: { ...ask({ compaction: { type: 'summarize' } }, ...looked().slice(0, 2)), ...COMPACT },
    legal: { ...ask({ compaction: { type: 'summarize' } }, ...looked()), ...COMPACT },
    says: /compaction_incomplete_turn/,
  },
  {
    rule: 'A49',
    about: 'nothing',
    illegal: { ...ask({ compaction: { type: 'summarize' } }, assistant(summary)), ...COMPACT },
    legal: { ...ask({ compaction: { type: 'summarize' } }, assistant(summary), user('next')), ...COMPACT },
    says: /compaction_nothing_to_summarize/,
  },
  {
    rule: 'A50',
    about: 'kept from a user message on',
    illegal: {
      ...ask({ model: BOUND }, assistant(summary), user('next'), ...chat(['sig-b', 'two']).slice(1)),
      ...COMPACT,
      after: [later, compacted],
    },
    legal: {
      ...ask({ model: BOUND }, assistant(summary), ...chat(['sig-b', 'two']).slice(1)),
      ...COMPACT,
      after: [later, compacted],
    },
    says: /bound to a different conversation/,
  },
  {
    rule: 'A50',
    about: 'another system prompt',
    illegal: {
      ...ask({ model: BOUND, system: 'Be brief' }, assistant(summary), ...chat(['sig-b', 'two']).slice(1)),
      ...COMPACT,
      after: [later, compacted],
    },
    legal: {
      ...ask({ model: BOUND, system: 'Be brief' }, assistant(summary), ...chat([undefined, 'two']).slice(1)),
      ...COMPACT,
      after: [later, compacted],
    },
  },
  {
    rule: 'A52',
    illegal: { ...edited({ context_management: { edits: [{ type: 'clear_tool_uses_20250919' }] } }), after: [whole] },
    legal: {
      ...ask(
        { model: BOUND, tools: [TOOL], context_management: { edits: [{ type: 'clear_tool_uses_20250919' }] } },
        ...steps('a long listing', thought('sig-b')),
      ),
      after: [whole],
    },
  },
]
