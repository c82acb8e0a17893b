import { describe, expect, it } from 'vitest'
import { learnedAccepted, learnedRefusal, windowFor } from './window.ts'

describe('windowFor', () => {
  it('by the best that is known', () => {
    const model = 'claude-sonnet-4-5'
    const metadata = { id: model, context_length: 180_000 }
    const accepted = { accepted: 350_000 }
    expect(windowFor({ stated: 4000, metadata, learned: accepted, model })).toMatchObject({
      tokens: 4000,
      source: 'stated',
    })
    expect(windowFor({ metadata, learned: accepted, model })).toMatchObject({ tokens: 180_000, source: 'metadata' })
    expect(windowFor({ learned: { limit: 190_000 }, model })).toMatchObject({ tokens: 190_000, source: 'error' })
    expect(windowFor({ learned: { refused: 170_000 }, model })).toMatchObject({ tokens: 170_000, source: 'error' })
    expect(windowFor({ learned: accepted, model })).toMatchObject({ tokens: 400_000, source: 'usage' })
    expect(windowFor({ learned: { accepted: 150_000 }, model })).toMatchObject({ tokens: 200_000, source: 'table' })
    expect(windowFor({ model })).toMatchObject({ tokens: 200_000, source: 'table' })
  })

  it('announces an assumption', () => {
    const { source, says } = windowFor({ model: 'my-model' })
    expect(source).toBe('assumed')
    expect(says).toMatch(/my-model is not known: assumed 200000 tokens; state `window`/)
    expect(windowFor({}).source).toBe('assumed')
  })

  it('what the provider refused stands above what is stated', () => {
    expect(windowFor({ stated: 200_000, learned: { limit: 131_072 } })).toMatchObject({
      tokens: 131_072,
      source: 'error',
    })
    expect(windowFor({ stated: 4000, learned: { limit: 131_072 } })).toMatchObject({ tokens: 4000, source: 'stated' })
  })

  it.each([
    ['OpenRouter', { id: 'x', context_length: 131_072, top_provider: { context_length: 65_536 } }, 131_072],
    ['vLLM', { object: 'model', max_model_len: 4096 }, 4096],
    ['Groq', { context_window: 8192 }, 8192],
    ['Anthropic', { type: 'model', max_input_tokens: 200_000, max_tokens: 64_000 }, 200_000],
    ['Gemini', { inputTokenLimit: 1_048_576 }, 1_048_576],
    ['Ollama', { model_info: { 'llama.context_length': 131_072 } }, 131_072],
    ['Ollama, as it runs', { num_ctx: 4096, model_info: { 'llama.context_length': 131_072 } }, 4096],
    ['LM Studio', { max_context_length: 32_768, loaded_context_length: 4096 }, 4096],
  ])('reads the metadata of %s', (_, metadata, tokens) => {
    expect(windowFor({ metadata })).toMatchObject({ tokens, source: 'metadata' })
  })

  it('takes nothing from metadata that names no window', () => {
    for (const metadata of [null, 'x', [], { context_length: 0 }, { context_length: -1 }, { context_length: '4k' }]) {
      expect(windowFor({ metadata }).source).toBe('assumed')
    }
  })
})

describe('what a conversation teaches', () => {
  it('the smallest refusal counts, and nothing that is none', () => {
    const refusal = (learned: object, sent: number) => learnedRefusal(learned, 'prompt is too long', sent)
    const first = refusal({}, 174_000)
    expect(first).toEqual({ refused: 174_000 })
    expect(refusal(first, 190_000)).toEqual({ refused: 174_000 })
    expect(refusal(first, 150_000)).toEqual({ refused: 150_000 })
    expect(learnedRefusal(first, 'rate limit: too many tokens per minute', 10)).toBe(first)
    expect(learnedRefusal(first, 'prompt is too long', undefined)).toBe(first)
  })

  it('is not kept for ever: a larger prompt that is answered takes a refusal back', () => {
    expect(learnedAccepted({ refused: 150_000 }, 160_000)).toEqual({ accepted: 160_000 })
    expect(learnedAccepted({ limit: 131_072 }, 140_000)).toEqual({ accepted: 140_000 })
    expect(learnedAccepted({ refused: 150_000 }, 100_000)).toEqual({ refused: 150_000, accepted: 100_000 })
    expect(learnedRefusal({ accepted: 160_000 }, 'prompt is too long', 150_000)).toEqual({ accepted: 160_000 })
  })

  it('a limit that the text names replaces a guess', () => {
    const text = 'prompt is too long: 214123 tokens > 200000 maximum'
    expect(learnedRefusal({ refused: 150_000 }, text, 150_000)).toEqual({ limit: 200_000 })
  })
})
