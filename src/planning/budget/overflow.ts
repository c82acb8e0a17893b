/**
 * What numbers a provider gives when a prompt does not fit (seed C1: the window is learned from "prompt is too long").
 * Every provider words it another way; most name the limit, many what was sent.
 */
import { signsOf } from './error-facts.ts'
import { overflows } from './overflow-signs.ts'

export interface Overflow {
  /** Tokens the model takes, where the text says so. */
  readonly limit?: number
  /** Tokens of the prompt that was refused, where the text says so; without the room asked for the answer. */
  readonly prompt?: number
}

const N = '([0-9][0-9,_]*)'

interface Wording {
  readonly pattern: RegExp
  /** What its numbers are, in order. */
  readonly numbers: readonly ('limit' | 'prompt' | 'rest')[]
}

const words = (pattern: string, ...numbers: Wording['numbers']): Wording => ({
  pattern: new RegExp(pattern.replaceAll('#', N), 'i'),
  numbers,
})

/** First match wins; texts seen in providers' docs and public reports (Anthropic, OpenAI, Gemini, xAI, Mistral, …). */
const WORDINGS: readonly Wording[] = [
  words('prompt is too long:? *# tokens? *> *#', 'prompt', 'limit'),
  words('exceed context limit:? *# *\\+ *# *> *#', 'prompt', 'rest', 'limit'),
  words('context length (?:is|of)(?: only)? # tokens?[^]{0,120}?# in the (?:messages|prompt|input)', 'limit', 'prompt'),
  words(
    'context length (?:is|of)(?: only)? # tokens?[^]{0,80}?(?:resulted in|requested|contains)(?: about)? # tokens',
    'limit',
    'prompt',
  ),
  words('keep the first # tokens[^]{0,160}?context length of(?: only)? #', 'prompt', 'limit'),
  words('token count:?(?: of)? *\\(?#\\)? exceeds[^0-9]{0,80}#', 'prompt', 'limit'),
  words('maximum prompt length is # but the request contains #', 'limit', 'prompt'),
  words('prompt contains # tokens[^]{0,80}?model with # maximum', 'prompt', 'limit'),
  words('prompt \\(length #\\) is longer than the maximum model length of #', 'prompt', 'limit'),
  words('token limit:? *# *\\(requested:? *#', 'limit', 'prompt'),
  words('request \\(# tokens\\) exceeds the available context size \\(#', 'prompt', 'limit'),
  words('cannot exceed # *[-–] *received #', 'limit', 'prompt'),
  words('must be <= #\\.? *given:? *#', 'limit', 'prompt'),
  words('current length is # while limit is #', 'prompt', 'limit'),
  words('"n_prompt_tokens": *#[^]{0,40}?"n_ctx": *#', 'prompt', 'limit'),
  words('"n_ctx": *#[^]{0,40}?"n_prompt_tokens": *#', 'limit', 'prompt'),
  words('available context size \\(#', 'limit'),
  words('context (?:length|window|size|limit)(?: is| of|:)?(?: only)? *# tokens', 'limit'),
  words('token limit:? *#', 'limit'),
  words('(?:maximum|max) (?:number of tokens|input tokens)[^0-9]{0,40}#', 'limit'),
]

/** No provider writes a longer message; what is longer is a page. */
const MOST_CHARS = 20_000

/**
 * What this error says about the window; undefined when it is no overflow. Takes a text, an Error (with what it was
 * caused by), or a response body.
 */
export function overflowOf(error: unknown): Overflow | undefined {
  const text = wordsIn(error)
  if (text === '') return undefined
  for (const { pattern, numbers } of WORDINGS) {
    const found = pattern.exec(text)
    if (!found) continue
    const told: { limit?: number; prompt?: number } = {}
    numbers.forEach((name, index) => {
      const value = Number((found[index + 1] ?? '').replaceAll(/[,_]/g, ''))
      if (name !== 'rest' && value > 0 && Number.isSafeInteger(value)) told[name] = value
    })
    if (told.prompt !== undefined || overflows(signsOf({ text }))) return told
    break
  }
  return overflows(signsOf({ text })) ? {} : undefined
}

/** Every text of an error: its message, code, body, and its cause's; cycles and depth are cut. */
function wordsIn(error: unknown): string {
  const texts: string[] = []
  const open: unknown[] = [error]
  const seen = new Set<unknown>()
  for (let next = open.shift(); open.length > 0 || next !== undefined; next = open.shift()) {
    if (typeof next === 'string' || typeof next === 'number') texts.push(String(next))
    else if (typeof next === 'object' && next !== null && !seen.has(next) && seen.size < MOST_OBJECTS) {
      seen.add(next)
      const fields = next as Readonly<Record<string, unknown>>
      if (fields.status === 413 || fields.statusCode === 413) texts.push('413 status')
      if (typeof fields.n_ctx === 'number')
        texts.push(JSON.stringify({ n_ctx: fields.n_ctx, n_prompt_tokens: fields.n_prompt_tokens }))
      for (const key of TEXT_KEYS) if (fields[key] !== undefined) open.push(fields[key])
    }
  }
  return texts.join('\n').slice(0, MOST_CHARS)
}

const MOST_OBJECTS = 20
const TEXT_KEYS = ['message', 'code', 'type', 'error', 'body', 'responseBody', 'data', 'cause', 'lastError', 'detail']
