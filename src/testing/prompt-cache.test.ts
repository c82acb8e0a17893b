import { describe, expect, it } from 'vitest'
import { MESSAGES_API } from './apis/messages.ts'
import { createPromptCache, type Prompt, promptTokens } from './prompt-cache.ts'
import type { WireBlock } from './wire.ts'

const MINUTE = 60_000
const mark = { cache_control: { type: 'ephemeral' } }
const hourMark = { cache_control: { type: 'ephemeral', ttl: '1h' } }

function text(words: string, extra: Record<string, unknown> = {}): WireBlock {
  return { type: 'text', text: words.repeat(400), ...extra }
}

function request(...blocks: WireBlock[]): Prompt {
  return MESSAGES_API.promptOf({
    model: 'claude-opus-5-5',
    system: [text('system ')],
    messages: [{ role: 'user', content: blocks }],
  })
}

describe('the simulated prompt cache', () => {
  it('writes up to the breakpoint, then reads it', () => {
    const cache = createPromptCache()
    const first = cache.serve(request(text('a ', mark), text('b ')), 0)
    expect(first.cache_read_input_tokens).toBe(0)
    expect(first.cache_creation_input_tokens).toBe(promptTokens(request(text('a '))))
    expect(first.input_tokens + first.cache_creation_input_tokens).toBe(promptTokens(request(text('a '), text('b '))))
    const second = cache.serve(request(text('a '), text('b ', mark)), MINUTE)
    expect(second.cache_read_input_tokens).toBe(first.cache_creation_input_tokens)
    expect(second.cache_creation_input_tokens).toBe(first.input_tokens)
    expect(second.input_tokens).toBe(0)
  })

  it('loses everything after a changed block, and what another model wrote', () => {
    const cache = createPromptCache()
    cache.serve(request(text('a ', mark), text('b ', mark), text('c ', mark)), 0)
    const edited = cache.serve(request(text('a '), text('B '), text('c ', mark)), 0)
    expect(edited.cache_read_input_tokens).toBe(promptTokens(request(text('a '))))
    const other = cache.serve({ ...request(text('a ', mark)), model: 'claude-sonnet-4-5' }, 0)
    expect(other.cache_read_input_tokens).toBe(0)
  })

  it('forgets after five minutes, counts from the last read, and after an hour where asked', () => {
    const cache = createPromptCache()
    const prompt = request(text('a ', mark))
    cache.serve(prompt, 0)
    expect(cache.serve(prompt, 4 * MINUTE).cache_read_input_tokens).toBeGreaterThan(0)
    expect(cache.serve(prompt, 8 * MINUTE).cache_read_input_tokens).toBeGreaterThan(0)
    expect(cache.serve(prompt, 14 * MINUTE).cache_read_input_tokens).toBe(0)
    cache.serve(request(text('a '), text('b ', mark)), 18 * MINUTE)
    expect(cache.serve(prompt, 22 * MINUTE).cache_read_input_tokens).toBeGreaterThan(0)
    const long = request(text('z ', hourMark))
    expect(cache.serve(long, 0).cache_creation.ephemeral_1h_input_tokens).toBeGreaterThan(0)
    expect(cache.serve(long, 59 * MINUTE).cache_read_input_tokens).toBeGreaterThan(0)
  })

  it('keeps a prefix for its hour when it is marked for five minutes later', () => {
    const cache = createPromptCache()
    cache.serve(request(text('a ', hourMark)), 0)
    cache.serve(request(text('a ', mark)), MINUTE)
    expect(cache.serve(request(text('a ', mark)), 50 * MINUTE).cache_read_input_tokens).toBeGreaterThan(0)
  })

  it('takes a mark on the request for one on its last block', () => {
    const cache = createPromptCache()
    const plain = { model: 'claude-opus-5-5', messages: [{ role: 'user' as const, content: [text('a bit more ')] }] }
    const marked = MESSAGES_API.promptOf({ ...plain, ...mark })
    expect(cache.serve(marked, 0).cache_creation_input_tokens).toBe(promptTokens(marked))
    expect(createPromptCache().serve(MESSAGES_API.promptOf(plain), 0).cache_creation_input_tokens).toBe(0)
  })

  it('stores nothing below the minimum length of the model', () => {
    const cache = createPromptCache()
    const prompt = { ...request(text('a ', mark)), model: 'claude-opus-4-5' }
    expect(promptTokens(prompt)).toBeGreaterThan(512)
    expect(promptTokens(prompt)).toBeLessThan(4096)
    expect(cache.serve(prompt, 0)).toMatchObject({ cache_creation_input_tokens: 0, input_tokens: promptTokens(prompt) })
    expect(cache.serve(prompt, 0).cache_read_input_tokens).toBe(0)
  })

  it('looks back at most twenty blocks from a breakpoint', () => {
    const blocks = Array.from({ length: 30 }, (_, index) => text(`${index} `))
    const near = createPromptCache()
    near.serve(request(text('a ', mark)), 0)
    expect(
      near.serve(request(text('a '), ...blocks.slice(0, 19), text('z ', mark)), 0).cache_read_input_tokens,
    ).toBeGreaterThan(0)
    const far = createPromptCache()
    far.serve(request(text('a ', mark)), 0)
    expect(far.serve(request(text('a '), ...blocks, text('z ', mark)), 0).cache_read_input_tokens).toBe(0)
  })

  it('reads nothing for a request without a breakpoint', () => {
    const cache = createPromptCache()
    cache.serve(request(text('a ', mark)), 0)
    expect(cache.serve(request(text('a ')), 0).cache_read_input_tokens).toBe(0)
  })
})
