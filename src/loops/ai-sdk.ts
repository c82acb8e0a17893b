/**
 * `fit` in agents of the AI SDK: before each step (`prepareStep`), or around the model (a middleware, which also sees
 * what no step does: overflow, and tools as the model gets them). All types are structural; no `ai` is imported.
 */
import { fieldsOf, textOf } from '../formats/fields.ts'
import { overflowOf, promptTokensOf } from '../planning/budget/index.ts'
import { type Conversation, conversations, type LoopOptions } from './conversations.ts'
import type { FitReport } from './fit-report.ts'

/** What `prepareStep` is given, as far as it is used here. */
interface StepFacts<Message> {
  readonly messages: Message[]
  readonly steps: readonly { readonly usage?: unknown }[]
  readonly model: unknown
}

/** Not known to `prepareStep`: the tools and the system prompt of the agent. Without them the floor is not counted. */
export interface StepOptions extends LoopOptions {
  readonly tools?: unknown
  readonly system?: unknown
}

/**
 * For `prepareStep` of `generateText`, `streamText` and `ToolLoopAgent`: the messages of each step, made to fit.
 * Throws SpillwayError as `fitClient` does. It cannot see that a prompt was refused; `fitMiddleware` can.
 */
export function fitPrepareStep({
  tools,
  system,
  ...options
}: StepOptions = {}): <Message>(step: StepFacts<Message>) => Promise<{ messages: Message[] }> {
  const conversationOf = conversations(options)
  return async <Message>({ messages, steps, model }: StepFacts<Message>) => {
    const conversation = conversationOf(messages)
    const usage = steps.at(-1)?.usage
    if (promptTokensOf(usage) !== undefined) conversation.counted(usage)
    const name = typeof model === 'string' ? model : textOf(fieldsOf(model)?.modelId)
    const { messages: fitted, report } = await conversation.fitted({
      messages,
      shape: 'ai-sdk',
      ...(name === undefined ? {} : { model: name }),
      ...(tools === undefined ? {} : { tools }),
      ...(system === undefined ? {} : { system }),
    })
    const marked = isClaude(name) ? markedMessages(fitted, report.breakpoints) : fitted
    return { messages: marked as Message[] }
  }
}

/** Of a language model's call options, what is used here. */
interface CallOptions {
  readonly prompt: unknown[]
  readonly tools?: unknown[]
}

interface Model<Params, Generated, Streamed> {
  readonly modelId: string
  doGenerate(params: Params): PromiseLike<Generated>
  doStream(params: Params): PromiseLike<Streamed>
}

interface FitMiddleware {
  readonly specificationVersion: 'v3'
  wrapGenerate<Params extends CallOptions, Generated extends { usage: unknown }, Streamed>(call: {
    params: Params
    model: Model<Params, Generated, Streamed>
  }): Promise<Generated>
  wrapStream<Params extends CallOptions, Generated, Part, Streamed extends { stream: ReadableStream<Part> }>(call: {
    params: Params
    model: Model<Params, Generated, Streamed>
  }): Promise<Streamed>
}

/**
 * A middleware for `wrapLanguageModel`: each call is made to fit, and one that the provider refuses as too long is
 * compacted and made once more. Throws SpillwayError as `fitClient` does.
 */
export function fitMiddleware(options: LoopOptions = {}): FitMiddleware {
  const conversationOf = conversations(options)
  return {
    specificationVersion: 'v3',
    async wrapGenerate({ params, model }) {
      const conversation = conversationOf(params.prompt)
      const result = await calledTwice(conversation, params, model.modelId, (fitted) => model.doGenerate(fitted))
      conversation.counted(result.usage)
      return result
    },
    async wrapStream({ params, model }) {
      const conversation = conversationOf(params.prompt)
      const result = await calledTwice(conversation, params, model.modelId, (fitted) => model.doStream(fitted))
      return { ...result, stream: result.stream.pipeThrough(usageSeen(conversation)) }
    },
  }
}

async function calledTwice<Params extends CallOptions, Result>(
  conversation: Conversation,
  params: Params,
  model: string,
  call: (params: Params) => PromiseLike<Result>,
): Promise<Result> {
  const first = await fittedParams(conversation, params, model)
  try {
    return await call(first.params)
  } catch (error) {
    if (overflowOf(error) === undefined) throw error
    const second = await fittedParams(conversation, params, model, error).catch(() => undefined)
    if (second?.report.outcome !== 'rewritten') throw error
    return await call(second.params)
  }
}

async function fittedParams<Params extends CallOptions>(
  conversation: Conversation,
  params: Params,
  model: string,
  error?: unknown,
): Promise<{ params: Params; report: FitReport }> {
  const { prompt, tools } = params
  const request = { messages: prompt, shape: 'ai-sdk' as const, model, ...(tools === undefined ? {} : { tools }) }
  const { messages, tools: slim, report } = await conversation.fitted(request, error)
  const marked = isClaude(model) ? markedMessages(messages, report.breakpoints) : messages
  return { params: { ...params, prompt: marked, ...(tools === undefined ? {} : { tools: slim }) }, report }
}

function usageSeen<Part>(conversation: Conversation): TransformStream<Part, Part> {
  return new TransformStream({
    transform(part, controller) {
      const fields = fieldsOf(part)
      if (fields?.type === 'finish') conversation.counted(fields.usage)
      controller.enqueue(part)
    },
  })
}

function isClaude(model: string | undefined): boolean {
  return model?.includes('claude') ?? false
}

/** A breakpoint on a message stands behind its last part; one that the caller has set stays. */
function markedMessages(messages: readonly unknown[], breakpoints: readonly number[]): unknown[] {
  return messages.map((message, index) => {
    const fields = fieldsOf(message)
    const given = fieldsOf(fields?.providerOptions)
    const anthropic = fieldsOf(given?.anthropic)
    if (!fields || !breakpoints.includes(index) || anthropic?.cacheControl !== undefined) return message
    const marked = { ...anthropic, cacheControl: { type: 'ephemeral' } }
    return { ...fields, providerOptions: { ...given, anthropic: marked } }
  })
}
