/**
 * What an error says of itself, taken apart: the facts a provider sets (status, type, code) before any words.
 *
 * Texts of errors hold numbers and phrases that are about something else (a delay, a count, a quoted test, a file's
 * name); a number is a status only where a status stands, and what is quoted or a path is no statement at all.
 */

/** An error as a caller knows it; all that is known helps, the text alone is enough. */
export interface ErrorFacts {
  /** HTTP status. */
  readonly status?: number | null | undefined
  /** The provider's own name of the kind: `rate_limit_error`, `authentication_failed`, `error_max_turns`. */
  readonly type?: string | null | undefined
  /** Of the system or its libraries: `ECONNRESET`. */
  readonly code?: string | null | undefined
  readonly text?: string | null | undefined
}

export interface ErrorSigns {
  readonly status: number | undefined
  /** Identifiers in the order of their weight: given type, given code, then those found in the text. */
  readonly names: readonly string[]
  /** Lower case, without quotations, paths and addresses. */
  readonly words: string
  /** The text names a file: a word such as "timeout" may then be about that. */
  readonly namesFile: boolean
}

/** Longer texts are pages of a proxy; what they are about stands at the start. */
const MOST_CHARS = 8000

/** Where a status stands: at the start, or behind words that announce one. */
const STATUS =
  /^\W*(?:\w*error:?\s+)?(?:api error:?\s*)?\(?([1-5]\d\d)\b(?!\s*(?:ms|s|tokens?|items?|bytes?)\b)(?![.,]\d)|\b(?:api error:?|https?(?:\/\d(?:\.\d)?)?(?: error)?:?|(?:http )?status(?:[ _]?code)?(?: of)?["']?\s*[:=]?|error[ _]code:?|code"\s*:|response(?: code)?:?|returned|\(code:?)\s*\(?([1-5]\d\d)\b/i
/** Identifiers: `rate_limit_error`, `UND_ERR_SOCKET`, `ECONNRESET`, `ThrottlingException`, `APIConnectionError`. */
const NAME =
  /\b(?:[a-z]+(?:_[a-z]+)+|[A-Z][A-Z\d]*(?:_[A-Z\d]+)+|E[A-Z]{3,}\d?|[A-Z][A-Za-z]+(?:Error|Exception)|[A-Z][a-z]+Timeout|UNAVAILABLE|UNAUTHENTICATED|ConnectionRefused|ConnectionClosed|FailedToOpenSocket)\b/g
/** Keys and values in JSON, or in a printed dictionary, are statements; anything else in quotes is a quotation. */
const QUOTED = /(?<![\w:])(?<!:\s)(["'`“])(?:(?!\1)[^\n”]){0,400}\1(?!\w|\s*:)/g
const FILE =
  /(?:^|[\s('"`])(?:\.{0,2}\/)?(?:[\w.-]+\/)+[\w.-]+|\b[\w-]+\.(?:py|ts|js|tsx|jsx|mjs|cjs|go|rs|rb|java|c|cc|cpp|h|php|sh|md|json|txt|log|toml|ya?ml)\b/g
const ADDRESS = /\bhttps?:\/\/\S+/g

export function signsOf(facts: ErrorFacts): ErrorSigns {
  // A provider's JSON arrives inside another one's string.
  const text = (facts.text ?? '').slice(0, MOST_CHARS).replace(/\\+"/g, '"')
  const spoken = text.replace(ADDRESS, ' ')
  const unquoted = spoken.replace(QUOTED, ' ')
  const plain = unquoted.replace(FILE, ' ')
  const found = STATUS.exec(unquoted)
  const status = facts.status ?? numberOf(found?.[1] ?? found?.[2])
  const given = [facts.type, facts.code].filter((name) => typeof name === 'string' && name !== '') as string[]
  return {
    status,
    names: [...given, ...(plain.match(NAME) ?? [])],
    words: plain.toLowerCase().replace(/[‘’]/g, "'"),
    namesFile: plain !== unquoted,
  }
}

function numberOf(digits: string | undefined): number | undefined {
  return digits === undefined ? undefined : Number(digits)
}
