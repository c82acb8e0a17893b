/** Our examples for the rules of Anthropic Messages on parameters, media, caches and sizes. */
import type { RuleExample } from './example.ts'
import {
  ask,
  assistant,
  BOUND,
  call,
  LONG_MARK,
  MANUAL,
  MARK,
  result,
  TOOL,
  talk,
  text,
  thought,
  user,
} from './messages.ts'

/** The head of a PNG of this size, and its end: enough for everything that is read of one. */
function png(width: number, height: number, end = '49454e44ae426082'): string {
  const head = Buffer.alloc(30)
  head.write('89504e470d0a1a0a0000000d49484452', 'hex')
  head.writeUInt32BE(width, 16)
  head.writeUInt32BE(height, 20)
  return Buffer.concat([head, Buffer.from(end, 'hex')])
    .toString('base64')
    .replace(/=+$/, '')
    .padEnd(52, 'A')
    .slice(0, 52)
}
const image = (data: string, kind = 'image/png') => ({
  type: 'image',
  source: { type: 'base64', media_type: kind, data },
})
const images = (count: number, ...more: unknown[]) =>
  talk(user(...Array.from({ length: count }, () => image(png(9, 9))), ...more))
const pdf = (pages: number) => ({
  type: 'document',
  source: {
    type: 'base64',
    media_type: 'application/pdf',
    data: Buffer.from('/Type /Page\n'.repeat(pages)).toString('base64'),
  },
})
const marked = (count: number) =>
  talk(user(...Array.from({ length: count }, (_, index) => text(`part ${index}`, MARK))))
const words = (count: number) => 'word '.repeat(count)
const grown = (blocks: number) =>
  talk(
    user(text('What is there?')),
    assistant(...Array.from({ length: blocks }, (_, index) => text(`part ${index}`))),
    user(text('So?', MARK)),
  )
const choice = (type: string) => ({ tools: [TOOL], tool_choice: { type } })
const clear = (...types: string[]) => ({ context_management: { edits: types.map((type) => ({ type })) } })

export const LIMIT_EXAMPLES: readonly RuleExample[] = [
  {
    rule: 'A37',
    illegal: ask({ thinking: { type: 'adaptive', block_binding: {} } }),
    legal: {
      ...ask({ thinking: { type: 'adaptive', block_binding: {} } }),
      context: { betas: ['thinking-binding-controls-2026-08-01'] },
    },
    says: /^thinking\.adaptive\.block_binding: Extra inputs are not permitted$/,
  },
  {
    rule: 'A38',
    about: 'manual',
    illegal: ask({ model: BOUND, thinking: { type: 'enabled' } }),
    legal: ask({ model: MANUAL, thinking: { type: 'enabled' } }),
  },
  {
    rule: 'A38',
    about: 'adaptive',
    illegal: ask({ model: MANUAL, thinking: { type: 'adaptive' } }),
    legal: ask({ model: BOUND, thinking: { type: 'adaptive' } }),
    says: /adaptive thinking is not supported on this model/,
  },
  {
    rule: 'A38',
    about: 'between tools',
    illegal: ask({ model: BOUND, thinking: { type: 'between_tools' } }),
    legal: ask({ model: 'claude-sonnet-5-5', thinking: { type: 'between_tools' } }),
  },
  {
    rule: 'A39',
    about: 'too little',
    illegal: ask({ thinking: { type: 'enabled', budget_tokens: 1023 } }),
    legal: ask({ thinking: { type: 'enabled', budget_tokens: 1024 } }),
  },
  {
    rule: 'A39',
    about: 'too much',
    illegal: ask({ max_tokens: 2000, thinking: { type: 'enabled', budget_tokens: 2000 } }),
    legal: {
      ...ask({ max_tokens: 2000, thinking: { type: 'enabled', budget_tokens: 2000 } }),
      context: { betas: ['interleaved-thinking-2025-05-14'] },
    },
  },
  {
    rule: 'A40',
    about: 'newest models',
    illegal: ask({ model: BOUND, ...choice('tool') }),
    legal: ask({ model: BOUND, ...choice('none') }),
  },
  {
    rule: 'A40',
    about: 'manual thinking',
    illegal: ask({ ...choice('any'), thinking: { type: 'enabled', budget_tokens: 1024 } }),
    legal: ask(choice('any')),
    says: /Thinking may not be enabled/,
  },
  {
    rule: 'A51',
    about: 'off',
    illegal: ask({ model: MANUAL, ...clear('clear_thinking_20251015') }),
    legal: ask({ model: BOUND, ...clear('clear_thinking_20251015') }),
  },
  {
    rule: 'A51',
    about: 'order',
    illegal: ask({ thinking: { type: 'adaptive' }, ...clear('clear_tool_uses_20250919', 'clear_thinking_20251015') }),
    legal: ask({ thinking: { type: 'adaptive' }, ...clear('clear_thinking_20251015', 'clear_tool_uses_20250919') }),
  },
  {
    rule: 'A53',
    about: 'pixels',
    illegal: talk(user(image(png(8001, 9)))),
    legal: talk(user(image(png(8000, 9)))),
    says: /max allowed size: 8000 pixels/,
  },
  {
    rule: 'A53',
    about: 'many',
    illegal: images(20, image(png(9, 2001))),
    legal: images(20, image(png(9, 2000))),
    says: /many-image requests: 2000 pixels/,
  },
  {
    rule: 'A53',
    about: 'many, inside a result',
    illegal: talk(
      ...images(20).request.messages,
      assistant(call('toolu_a')),
      user(result('toolu_a', [image(png(2001, 9))])),
    ),
    legal: talk(
      ...images(19).request.messages,
      assistant(call('toolu_a')),
      user(result('toolu_a', [image(png(2001, 9))])),
    ),
  },
  {
    rule: 'A53',
    about: 'number',
    illegal: ask({ model: MANUAL }, ...images(101).request.messages),
    legal: ask({ model: MANUAL }, ...images(100).request.messages),
  },
  {
    rule: 'A53',
    about: 'bytes',
    illegal: talk(user(image(png(9, 9).padEnd(10 * 2 ** 20 + 4, 'A')))),
    legal: talk(user(image(png(9, 9).padEnd(5 * 2 ** 20, 'A')))),
    says: /image exceeds 10 MB maximum/,
  },
  {
    rule: 'A54',
    about: 'cut',
    illegal: talk(user(image(png(9, 9).slice(0, 39)))),
    legal: talk(user(image(png(9, 9)))),
  },
  {
    rule: 'A54',
    about: 'no end',
    illegal: talk(user(image(png(9, 9, '00')))),
    legal: talk(user(image(png(9, 9)))),
    says: /cut off/,
  },
  {
    rule: 'A54',
    about: 'kind',
    illegal: talk(user(image(png(9, 9), 'image/jpeg'))),
    legal: talk(user(image(png(9, 9)))),
    says: /media_type/,
  },
  { rule: 'A56', about: 'pages', illegal: talk(user(pdf(101))), legal: talk(user(pdf(100))), says: /100 PDF pages/ },
  {
    rule: 'A56',
    about: 'source',
    illegal: talk(user({ type: 'document', source: { type: 'disk' } })),
    legal: talk(user({ type: 'document', source: { type: 'file', file_id: 'f' } })),
  },
  { rule: 'A57', illegal: marked(5), legal: marked(4), says: /Found 5\./ },
  {
    rule: 'A57',
    about: 'top level',
    illegal: ask({ ...MARK }, ...marked(4).request.messages),
    legal: ask({ ...MARK }, ...marked(3).request.messages),
  },
  {
    rule: 'A58',
    illegal: ask({ tools: [{ ...TOOL, ...MARK }] }, user(text('Hi', LONG_MARK))),
    legal: ask({ tools: [{ ...TOOL, ...LONG_MARK }] }, user(text('Hi', MARK))),
    says: /^messages\.0\.content\.0\.cache_control\.ttl: a ttl='1h' cache_control block must not come after/,
  },
  {
    rule: 'A59',
    about: 'thinking',
    illegal: talk(user('Hi'), assistant({ ...thought('sig-a'), ...MARK }, text('so')), user('And?')),
    legal: talk(user('Hi'), assistant(thought('sig-a'), text('so', MARK)), user('And?')),
    says: /^messages\.1\.content\.0\.thinking\.cache_control: Extra inputs/,
  },
  {
    rule: 'A59',
    about: 'empty text',
    illegal: talk(user(text('', MARK))),
    legal: talk(user(text('Hi', MARK))),
    says: /cannot be set for empty text blocks/,
  },
  {
    rule: 'A59',
    about: 'cleared',
    illegal: talk(user('Hi'), { role: 'system', content: [text('Now', MARK)], clear_at: 'next_user_message' }),
    legal: talk(user('Hi'), { role: 'system', content: [text('Now', MARK)] }),
  },
  {
    rule: 'A60',
    illegal: ask({ model: BOUND }, user(text(words(100), MARK))),
    legal: ask({ model: BOUND }, user(text(words(900), MARK))),
  },
  {
    rule: 'A61',
    illegal: { ...grown(25), after: [talk(user(text('What is there?', MARK)))] },
    legal: { ...grown(15), after: [talk(user(text('What is there?', MARK)))] },
  },
  {
    rule: 'A62',
    about: 'input',
    illegal: { ...ask({ model: MANUAL }), context: { inputTokens: 200_001 } },
    legal: { ...ask({ model: MANUAL }), context: { inputTokens: 200_000 } },
    says: /^prompt is too long: 200001 tokens > 200000 maximum$/,
  },
  {
    rule: 'A62',
    about: 'with output',
    illegal: { ...ask({ model: 'claude-opus-4-1', max_tokens: 20_000 }), context: { inputTokens: 188_059 } },
    legal: { ...ask({ model: BOUND, max_tokens: 20_000 }), context: { inputTokens: 188_059 } },
    says: /188059 \+ 20000 > 200000/,
  },
  {
    rule: 'A63',
    about: 'given',
    illegal: { ...ask({}), context: { bodyBytes: 32 * 2 ** 20 + 1 } },
    legal: { ...ask({}), context: { bodyBytes: 32 * 2 ** 20 } },
    says: /^request_too_large/,
  },
  {
    rule: 'A63',
    about: 'measured',
    illegal: talk(user('x'.repeat(32 * 2 ** 20))),
    legal: talk(user('x'.repeat(1000))),
  },
  {
    rule: 'A64',
    illegal: ask({ thread: { type: 'continue', previous_message_id: 'msg_1' }, system: 'Be brief' }),
    legal: ask({ thread: { type: 'create' }, system: 'Be brief' }),
  },
]
