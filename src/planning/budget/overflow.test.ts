import { describe, expect, it } from 'vitest'
import { overflowOf } from './overflow.ts'

describe('overflowOf', () => {
  it.each([
    ['prompt is too long: 214123 tokens > 200000 maximum', 200_000, 214_123],
    [
      'input length and `max_tokens` exceed context limit: 190000 + 32000 > 200000, decrease input length',
      200_000,
      190_000,
    ],
    [
      "This model's maximum context length is 128000 tokens. However, your messages resulted in 130000 tokens (129000 in the messages, 1000 in the functions).",
      128_000,
      129_000,
    ],
    [
      "This model's maximum context length is 4096 tokens. However, you requested 4500 tokens (4300 in the messages, 200 in the completion).",
      4096,
      4300,
    ],
    [
      "This endpoint's maximum context length is 131072 tokens. However, you requested about 140000 tokens (139000 of text input, 1000 in the output).",
      131_072,
      140_000,
    ],
    ['The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).', 1_048_576, 1_200_000],
    ['Your request exceeded model token limit: 262144 (requested: 270123)', 262_144, 270_123],
    ['Your request exceeded model token limit: 262144', 262_144, undefined],
    ['prompt token count of 150000 exceeds the limit of 128000', 128_000, 150_000],
    ["This model's maximum prompt length is 131072 but the request contains 537812 tokens.", 131_072, 537_812],
    [
      'Prompt contains 43107 tokens and 0 draft tokens, too large for model with 32768 maximum context length',
      32_768,
      43_107,
    ],
    ['The decoder prompt (length 8000) is longer than the maximum model length of 4096.', 4096, 8000],
    ['request (66512 tokens) exceeds the available context size (65536 tokens), try increasing it', 65_536, 66_512],
    ['the request exceeds the available context size (4096 tokens), try increasing the context size', 4096, undefined],
    [
      'Trying to keep the first 4500 tokens when context the overflows. However, the model is loaded with context length of only 4096 tokens',
      4096,
      4500,
    ],
    ['too many tokens: total number of tokens in the prompt cannot exceed 4081 - received 5000', 4081, 5000],
    ['`inputs` tokens + `max_new_tokens` must be <= 4097. Given: 5000 `inputs` tokens', 4097, 5000],
    ['Please reduce the length of the messages or completion. Current length is 9000 while limit is 8192', 8192, 9000],
    ['{"error":{"n_prompt_tokens":5000,"n_ctx":4096}}', 4096, 5000],
    ['prompt is too long: 1,214,123 tokens > 1,000,000 maximum', 1_000_000, 1_214_123],
  ])('%s', (text, limit, prompt) => {
    expect(overflowOf(text)).toEqual({ ...(limit ? { limit } : {}), ...(prompt ? { prompt } : {}) })
  })

  it('reads an error of a client, its body and its cause', () => {
    const words = 'prompt is too long: 210000 tokens > 200000 maximum'
    const body = { type: 'error', error: { type: 'invalid_request_error', message: words } }
    expect(overflowOf(new Error('400', { cause: new Error(words) }))?.limit).toBe(200_000)
    expect(overflowOf(Object.assign(new Error('400'), { error: body }))?.limit).toBe(200_000)
    expect(overflowOf(Object.assign(new Error('x'), { responseBody: JSON.stringify(body) }))?.limit).toBe(200_000)
    expect(overflowOf({ status: 413 })).toEqual({})
    expect(overflowOf({ code: 'context_length_exceeded' })).toEqual({})
    expect(overflowOf({ n_ctx: 4096, n_prompt_tokens: 5000 })).toEqual({ limit: 4096, prompt: 5000 })
  })

  it('survives what is no error', () => {
    const ring: { cause?: unknown } = {}
    ring.cause = ring
    for (const odd of [undefined, null, 0, '', {}, [], ring, 'x'.repeat(1_000_000)])
      expect(overflowOf(odd)).toBeUndefined()
  })
})
