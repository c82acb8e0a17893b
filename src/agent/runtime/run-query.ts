/** One `query()` to its end: its messages become events, its end becomes one of five outcomes. */
import type { Options, Query, SpawnedProcess } from '@anthropic-ai/claude-agent-sdk'
import type { MessageReader, ReadEvent } from '../events/message-reader.ts'
import { classifyError } from '../resilience/classify-error.ts'
import type { Boundary } from './boundary.ts'
import type { AgentSdk } from './load-sdk.ts'
import type { StepError } from './options.ts'

export type Ending =
  | { readonly kind: 'done' }
  | { readonly kind: 'epoch' }
  | { readonly kind: 'interrupt'; readonly message: string }
  | { readonly kind: 'aborted' }
  | { readonly kind: 'failed'; readonly error: StepError }

export interface QueryInput {
  readonly sdk: AgentSdk
  readonly prompt: string
  readonly options: Options
  readonly figures: MessageReader
  readonly boundary: Boundary
  /** The whole step was ended. */
  readonly isAborted: () => boolean
  /** The last lines of the binary's error output. */
  readonly stderr: () => string
  readonly onEvent: (event: ReadEvent) => void
}

/** Ends with the binary's process: nothing writes into the session's folders any more once this is over. */
export async function runQuery(input: QueryInput): Promise<Ending> {
  const { sdk, prompt, options, figures } = input
  const { spawnClaudeCodeProcess: spawn } = options
  let gone = async (): Promise<void> => {}
  const watched: Options = { ...options }
  if (spawn) {
    watched.spawnClaudeCodeProcess = (how) => {
      const child = spawn(how)
      gone = goneOf(child)
      return child
    }
  }
  const inner = new AbortController()
  watched.abortController = inner
  let thrown: unknown
  const query = sdk.query({ prompt, options: watched })
  const stop = (): void => void stopped(query, inner)
  const outer = options.abortController?.signal
  if (outer?.aborted) inner.abort()
  else outer?.addEventListener('abort', stop, { once: true })
  try {
    for await (const message of query) {
      for (const event of figures.read(message)) input.onEvent(event)
    }
  } catch (error) {
    thrown = error
  }
  outer?.removeEventListener('abort', stop)
  await gone()
  return endingOf(input, thrown)
}

/** A turn that is broken off first: a binary whose input only closes would ask the model once more. */
async function stopped(query: Query, controller: AbortController): Promise<void> {
  const timer = setTimeout(() => controller.abort(), MOST_MS_TO_BREAK_OFF)
  try {
    await query.interrupt()
  } catch {
    // It cannot be asked any more: ending it is all that is left.
  }
  clearTimeout(timer)
  controller.abort()
}

const MOST_MS_TO_BREAK_OFF = 1_000

/** The SDK asks a binary to end and gives it two seconds before it makes it; one that still lives then is killed here. */
const MOST_MS_TO_END = 5_000

function goneOf(child: SpawnedProcess): () => Promise<void> {
  const ended = new Promise<void>((resolve) => {
    child.once('exit', () => resolve())
    // An aborted process says so at once and then takes its time; any other error means that it never began.
    child.once('error', (error) => error.name !== 'AbortError' && resolve())
  })
  return () =>
    new Promise((resolve) => {
      const timer = setTimeout(() => {
        child.kill('SIGKILL')
        resolve()
      }, MOST_MS_TO_END)
      void ended.then(() => {
        clearTimeout(timer)
        resolve()
      })
    })
}

function endingOf({ boundary, figures, options, isAborted, stderr }: QueryInput, thrown: unknown): Ending {
  if (isAborted()) return { kind: 'aborted' }
  // Only the query was ended, so that a person is heard.
  if (options.abortController?.signal.aborted) return { kind: 'interrupt', message: boundary.takeMessage() ?? '' }
  const error = errorOf(figures, thrown, stderr())
  if (error) return { kind: 'failed', error }
  if (boundary.stop) return boundary.stop
  const message = boundary.takeMessage()
  return message === undefined ? { kind: 'done' } : { kind: 'interrupt', message }
}

function errorOf(figures: MessageReader, thrown: unknown, stderr: string): StepError | undefined {
  const { result, apiError } = figures
  const failed = result !== undefined && (result.is_error || result.subtype !== 'success')
  if (!failed && thrown === undefined && result !== undefined) return undefined
  const status = result && 'api_error_status' in result ? (result.api_error_status ?? undefined) : undefined
  const type = failed ? (apiError?.kind ?? typeOf(result)) : undefined
  const text = failed ? textOf(result, apiError?.text) : thrownText(thrown, stderr)
  const code = thrown instanceof Error && 'code' in thrown ? String(thrown.code) : undefined
  if (result?.terminal_reason === 'prompt_too_long') return { class: 'overflow', text, ...(status ? { status } : {}) }
  return { class: classifyError({ status, type, code, text }), text, ...(status === undefined ? {} : { status }) }
}

type Result = NonNullable<MessageReader['result']>

/** The subtype says why a turn stopped early; `error_during_execution` says nothing. */
function typeOf(result: Result | undefined): string | undefined {
  if (!result || result.subtype === 'success' || result.subtype === 'error_during_execution') return undefined
  return result.subtype
}

function textOf(result: Result, apiText: string | undefined): string {
  if (apiText) return apiText
  const said = 'result' in result ? result.result : result.errors.join('\n')
  return said || result.subtype
}

function thrownText(thrown: unknown, stderr: string): string {
  if (thrown === undefined) return `the binary ended without a result${stderr === '' ? '' : `: ${stderr}`}`
  const text = thrown instanceof Error ? thrown.message : String(thrown)
  return stderr === '' ? text : `${text}: ${stderr}`
}
