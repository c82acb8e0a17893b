import { describe, expect, it } from 'vitest'
import { isOverflow } from './overflow-signs.ts'

describe('isOverflow', () => {
  it.each([
    "This model's maximum prompt length is 131072 but the request contains 537812 tokens",
    'Input is too long for requested model.',
    'the request exceeds the available context size (8192 tokens)',
    'Please reduce the length of the messages or completion.',
    'Conversation too long. Press esc twice to go up a few messages and try again.',
    'context window exceeds limit',
    'too many tokens: the total number of tokens in the prompt cannot exceed 4081',
    'Range of input length should be [1, 30720]',
    'The context window is full',
    'Trying to keep the first 5000 tokens when context the overflows.',
    'exceeds the limit of 128000 tokens',
    'your prompt has 5000 tokens more than the maximum allowed',
    '输入长度超过模型上下文',
    'tokens to keep from the initial prompt is greater than the context length',
    '400 {"error":{"message":"prompt is too long: 5 tokens > 4 maximum"}}',
    "{'error': {'message': 'x', 'code': 'context_length_exceeded'}}",
    '{"error":{"code":400,"type":"exceed_context_size_error"}}',
    'tokens in request more than max tokens allowed',
    'too many total text bytes',
    "Invalid 'messages[3].content': string too long (code: string_above_max_length)",
  ])('%s', (text) => {
    expect(isOverflow(text)).toBe(true)
  })
  it.each([
    'grep found "prompt is too long" in errors.ts',
    "expect(isOverflow('context length exceeded')).toBe(true)",
    'max_tokens: 64000 > 32000, which is the maximum allowed number of output tokens',
    'This request would exceed your rate limit of 40,000 input tokens per minute',
    'image exceeds 5 MB maximum',
    'the line is too long',
    'sendmsg: Message too long',
    'context deadline exceeded',
    'exceeded the context deadline',
    'disk is full: context could not be saved',
  ])('not %s', (text) => {
    expect(isOverflow(text)).toBe(false)
  })
  it('takes time in proportion to the text, however it is built', () => {
    const started = performance.now()
    for (const piece of ['exceed ', 'input tokens exceed ', '"', "'a", 'a/', 'status '])
      isOverflow(piece.repeat(20_000))
    expect(performance.now() - started).toBeLessThan(2000)
  })
})
