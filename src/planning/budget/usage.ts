/** How many tokens a provider counted for a prompt, whatever its usage is called. */

type Fields = Readonly<Record<string, unknown>>

function fieldsOf(value: unknown): Fields | undefined {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Fields) : undefined
}

function count(value: unknown): number {
  if (typeof value === 'number' && Number.isFinite(value) && value > 0) return value
  const total = fieldsOf(value)?.total
  return typeof total === 'number' && Number.isFinite(total) && total > 0 ? total : 0
}

/**
 * Tokens of the whole prompt, cached ones included: Anthropic (three counts add up), OpenAI Chat and Responses, AI SDK
 * (a number or `{total}`), Gemini, Ollama; the usage itself or what holds it. Undefined where nothing is counted.
 */
export function promptTokensOf(usage: unknown): number | undefined {
  const outer = fieldsOf(usage)
  if (!outer) return undefined
  const fields = fieldsOf(outer.usage) ?? fieldsOf(outer.usageMetadata) ?? outer
  const anthropic = fields.cache_read_input_tokens !== undefined || fields.cache_creation_input_tokens !== undefined
  const cached = anthropic ? count(fields.cache_read_input_tokens) + count(fields.cache_creation_input_tokens) : 0
  const recorded = count(fields.input) + count(fields.cacheRead) + count(fields.cacheWrite)
  const found =
    count(fields.prompt_tokens) ||
    count(fields.input_tokens) + cached ||
    count(fields.inputTokens) ||
    count(fields.promptTokens) ||
    count(fields.promptTokenCount) ||
    count(fields.prompt_eval_count) ||
    recorded
  return found > 0 ? found : undefined
}
