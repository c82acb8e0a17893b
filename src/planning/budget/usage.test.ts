import { describe, expect, it } from 'vitest'
import { promptTokensOf } from './usage.ts'

describe('promptTokensOf', () => {
  it.each([
    [
      'Anthropic',
      { input_tokens: 10, cache_read_input_tokens: 80, cache_creation_input_tokens: 10, output_tokens: 5 },
      100,
    ],
    ['Anthropic, in an answer', { content: [], usage: { input_tokens: 10, cache_read_input_tokens: null } }, 10],
    ['OpenAI Chat', { prompt_tokens: 100, completion_tokens: 1, prompt_tokens_details: { cached_tokens: 60 } }, 100],
    ['OpenAI Responses', { input_tokens: 100, input_tokens_details: { cached_tokens: 60 } }, 100],
    ['AI SDK 5', { inputTokens: 100, outputTokens: 1, cachedInputTokens: 60 }, 100],
    ['AI SDK 6', { inputTokens: { total: 100, cacheRead: 60 } }, 100],
    ['Gemini', { usageMetadata: { promptTokenCount: 100 } }, 100],
    ['Ollama', { prompt_eval_count: 100 }, 100],
    ['a transcript', { input: 10, cacheRead: 80, cacheWrite: 10, output: 3 }, 100],
    ['nothing', { input_tokens: 0 }, undefined],
    ['no usage', undefined, undefined],
    ['no number', { prompt_tokens: 'many' }, undefined],
  ])('%s', (_, usage, tokens) => {
    expect(promptTokensOf(usage)).toBe(tokens)
  })
})
