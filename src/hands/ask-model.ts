/**
 * One question to any model of the AI SDK, or to a local OpenAI-compatible endpoint. `ai` and its provider are
 * optional: they are loaded when a question is asked, and no declaration names their types.
 */
import { SpillwayError } from '../core/errors.ts'

/** Any `LanguageModel` instance of the AI SDK (6 or 5); structural, so that its package is not needed to name it. */
export interface ModelInstance {
  readonly specificationVersion: string
  readonly provider: string
  readonly modelId: string
}

/** A server that speaks OpenAI's Chat Completions (llama.cpp, MLX, vLLM, Ollama, …); `baseURL` ends in `/v1`. */
export interface ModelEndpoint {
  readonly baseURL: string
  readonly model: string
  readonly apiKey?: string
}

export type AnyModel = ModelInstance | ModelEndpoint

export interface Question {
  readonly system: string
  readonly prompt: string
  /** Of the answer. */
  readonly mostTokens: number
  readonly signal: AbortSignal
}

/**
 * The model's answer as text. It is asked once: whoever asks decides whether to ask again.
 * @throws SpillwayError `unavailable` without the AI SDK, `usage` for what is no model; else whatever the model's
 * client throws (no connection, an HTTP error, an answer that is none, the signal)
 */
export async function askModel(model: AnyModel, question: Question): Promise<string> {
  const { generateText } = await optional(() => import('ai'))
  const instance = 'baseURL' in model ? await endpointModel(model) : model
  if (!isLanguageModel(instance)) {
    throw new SpillwayError(
      'usage',
      'model: expected a LanguageModel of the AI SDK 5 or 6, or {baseURL, model, apiKey?}',
    )
  }
  const { text } = await generateText({
    model: instance,
    system: question.system,
    prompt: question.prompt,
    maxOutputTokens: question.mostTokens,
    temperature: 0,
    maxRetries: 0,
    abortSignal: question.signal,
  })
  return text
}

type LanguageModel = Exclude<Parameters<typeof import('ai').generateText>[0]['model'], string>

/** The SDK checks the rest itself, when it calls. */
function isLanguageModel(model: object): model is LanguageModel {
  return 'specificationVersion' in model && 'doGenerate' in model && typeof model.doGenerate === 'function'
}

async function endpointModel({ baseURL, model, apiKey }: ModelEndpoint): Promise<LanguageModel> {
  const { createOpenAICompatible } = await optional(() => import('@ai-sdk/openai-compatible'))
  return createOpenAICompatible({ name: 'endpoint', baseURL, ...(apiKey === undefined ? {} : { apiKey }) })(model)
}

async function optional<Module>(load: () => Promise<Module>): Promise<Module> {
  try {
    return await load()
  } catch (cause) {
    const message = 'asking a model needs the AI SDK: npm install ai @ai-sdk/openai-compatible'
    throw new SpillwayError('unavailable', message, { cause })
  }
}
