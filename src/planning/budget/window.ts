/**
 * The model's window (seed C1), by the best that is known: stated, the provider's metadata or error text, recorded
 * usage, the table of core/models, and last an assumption, which is announced.
 */
import { ASSUMED_WINDOW, knownWindow } from '../../core/models.ts'
import { overflowOf } from './overflow.ts'

export type WindowSource = 'stated' | 'metadata' | 'error' | 'usage' | 'table' | 'assumed'

/** What a conversation has shown, as plain JSON. All in the provider's tokens. */
export interface LearnedWindow {
  /** The limit that an error text named; the newest counts. */
  readonly limit?: number
  /** The smallest prompt that was refused without a limit being named. */
  readonly refused?: number
  /** The largest prompt that was answered. */
  readonly accepted?: number
}

export interface WindowEvidence {
  readonly stated?: number
  /** What the provider's list of models says about this one. */
  readonly metadata?: unknown
  readonly learned?: LearnedWindow
  readonly model?: string
}

export interface KnownWindow {
  readonly tokens: number
  readonly source: WindowSource
  /** One line for a person. */
  readonly says: string
}

/** Windows that models are sold with: what accepted more than its table says has at least the next of these. */
const USUAL_WINDOWS = [8_192, 16_384, 32_768, 65_536, 131_072, 200_000, 262_144, 400_000, 1_000_000, 2_000_000]

export function windowFor({ stated, metadata, learned = {}, model }: WindowEvidence): KnownWindow {
  const told = stated ?? windowInMetadata(metadata)
  const shown = shownBy(learned)
  // What the provider has refused is refused, whatever anybody states.
  if (shown && shown.tokens < (told ?? Number.POSITIVE_INFINITY)) return shown
  if (told !== undefined) {
    if (stated !== undefined) return { tokens: told, source: 'stated', says: 'window as stated' }
    return { tokens: told, source: 'metadata', says: 'window as the provider lists it' }
  }
  const name = model === undefined || model === '' ? 'the model' : model
  const table = knownWindow(model)
  const { accepted } = learned
  if (accepted !== undefined && accepted > (table ?? ASSUMED_WINDOW)) {
    const tokens = USUAL_WINDOWS.find((window) => window >= accepted) ?? accepted
    return { tokens, source: 'usage', says: `${name} has answered a prompt of ${accepted} tokens` }
  }
  if (table !== undefined) return { tokens: table, source: 'table', says: `window of ${name}` }
  const advice = 'state `window`, or pass the provider’s `metadata`'
  const says = `the window of ${name} is not known: assumed ${ASSUMED_WINDOW} tokens; ${advice}`
  return { tokens: ASSUMED_WINDOW, source: 'assumed', says }
}

function shownBy({ limit, refused }: LearnedWindow): KnownWindow | undefined {
  if (limit !== undefined)
    return { tokens: limit, source: 'error', says: 'window as the provider named it in an error' }
  if (refused === undefined) return undefined
  const says = `the provider refused a prompt of ${refused} tokens without naming its limit`
  return { tokens: refused, source: 'error', says }
}

/** Names that providers and local servers give it, most binding first. */
const METADATA_KEYS = [
  'loaded_context_length',
  'num_ctx',
  'n_ctx',
  'max_model_len',
  'max_input_tokens',
  'maxInputTokens',
  'inputTokenLimit',
  'max_prompt_tokens',
  'context_length',
  'contextLength',
  'context_window',
  'contextWindow',
  'max_context_length',
  'maxContextLength',
  'max_context_window_tokens',
]
const DEEPEST = 3

/** The window in a provider's description of a model (OpenRouter, Groq, vLLM, Anthropic, Gemini, Ollama, LM Studio, …). */
function windowInMetadata(metadata: unknown, depth = 0): number | undefined {
  if (typeof metadata !== 'object' || metadata === null || Array.isArray(metadata)) return undefined
  const fields = metadata as Readonly<Record<string, unknown>>
  for (const key of METADATA_KEYS) {
    const value = tokensIn(fields[key])
    if (value !== undefined) return value
  }
  // Ollama: "llama.context_length".
  for (const [key, value] of Object.entries(fields)) {
    const tokens = key.endsWith('.context_length') ? tokensIn(value) : undefined
    if (tokens !== undefined) return tokens
  }
  if (depth >= DEEPEST) return undefined
  for (const value of Object.values(fields)) {
    const inside = windowInMetadata(value, depth + 1)
    if (inside !== undefined) return inside
  }
  return undefined
}

function tokensIn(value: unknown): number | undefined {
  const number = typeof value === 'string' && /^\d{1,12}$/.test(value) ? Number(value) : value
  return typeof number === 'number' && Number.isSafeInteger(number) && number > 0 ? number : undefined
}

/** A prompt of this size was answered: a refusal of a smaller one had another cause (room for the answer, a fluke). */
export function learnedAccepted(learned: LearnedWindow, prompt: number): LearnedWindow {
  if (prompt <= (learned.accepted ?? 0)) return learned
  const { limit, refused } = learned
  return {
    ...(limit !== undefined && limit >= prompt ? { limit } : {}),
    ...(refused !== undefined && refused > prompt ? { refused } : {}),
    accepted: prompt,
  }
}

/**
 * What an error teaches; the same object when it is no overflow.
 * @param sent our count of the prompt that was refused, in the provider's tokens, for texts without numbers
 */
export function learnedRefusal(learned: LearnedWindow, error: unknown, sent: number | undefined): LearnedWindow {
  const overflow = overflowOf(error)
  if (!overflow) return learned
  const { accepted } = learned
  if (overflow.limit !== undefined) {
    return { limit: overflow.limit, ...(accepted !== undefined && accepted <= overflow.limit ? { accepted } : {}) }
  }
  const prompt = overflow.prompt ?? sent
  if (prompt === undefined || prompt <= (accepted ?? 0)) return learned
  return { ...learned, refused: Math.min(prompt, learned.refused ?? prompt) }
}
