/**
 * What to do about a failed request (pure): try again, give up, or make the prompt shorter. Judged by status, type
 * and code first and by words last; the first sign that says anything decides, in the order given here.
 */
import { type ErrorFacts, type ErrorSigns, overflows, signsOf } from '../../planning/budget/index.ts'
import { FATAL_WORDS, placeOf, TRANSIENT_WORDS } from './error-words.ts'

/**
 * - `transient`: the same request may succeed later
 * - `fatal`: it never will; a person has to act
 * - `overflow`: the prompt is too long
 * - `unknown`: nothing is known; callers try again
 */
export type ErrorClass = 'transient' | 'fatal' | 'overflow' | 'unknown'

const TRANSIENT_STATUS: ReadonlySet<number> = new Set([408, 409, 425, 429])
/** Server errors that repeat: not implemented, version, variant, loop, extensions, certificate of the origin. */
const FATAL_SERVER_STATUS: ReadonlySet<number> = new Set([501, 505, 506, 508, 510, 511, 525, 526])

/** A bill or a bound that stays whatever status it comes with (insufficient quota is a 429). */
const SPENT =
  /^(?:insufficient_quota|billing_\w+|billing_error|credit\w*|error_max_\w+|max_turns|max_budget\w*|budget_\w+|account_on_hold|BillingError)$/i
const SPENT_WORDS =
  /\bcredit balance\b|\bout of credits?\b|\binsufficient (?:credits?|funds|balance|quota)\b|\bbilling details\b/
const WILL_REFILL = /\bretry (?:after|in)\b|\btry again\b|\bretry-after\b|\bper (?:minute|second|hour|day)\b/

const FATAL_NAMES: readonly RegExp[] = [
  /^(?:authentication\w*|permission(?:_\w+)?|invalid_(?:request|api_key|grant|token|x_api_key)\w*|not_found\w*|model_not_found)$/,
  /^(?:unsupported_\w+|oauth_\w+|verification_required|cloud_credential_error|unauthorized\w*|quota_exceeded)$/,
  /^(?:PERMISSION_DENIED|UNAUTHENTICATED|INVALID_ARGUMENT|NOT_FOUND|FAILED_PRECONDITION)$/,
  /^(?:Authentication|PermissionDenied|BadRequest|NotFound|UnprocessableEntity|CLINotFound|InvalidRequest|Validation)Error$/,
  /^(?:AccessDenied|Validation|UnrecognizedClient|ExpiredToken|ResourceNotFound|InvalidSignature)Exception$/,
  /^(?:ERR_SSL_\w+|ERR_TLS_\w+|CERT_\w+|DEPTH_ZERO_\w+|SELF_SIGNED_\w+|UNABLE_TO_(?:VERIFY|GET)_\w+|EPROTO)$/,
  /^(?:ENOENT|ENOSPC|EDQUOT|ERR_INVALID_\w+)$/,
]
const TRANSIENT_NAMES: readonly RegExp[] = [
  /^(?:overloaded\w*|rate_limit\w*|api_error|server_error|internal_\w*error|timeout_error|service_unavailable\w*)$/,
  /^(?:temporarily_\w+|engine_overloaded\w*|RESOURCE_EXHAUSTED|UNAVAILABLE|DEADLINE_EXCEEDED)$/,
  /^(?:ECONN(?:RESET|REFUSED|ABORTED)|E(?:SOCKET)?TIMEDOUT|EPIPE|ENOTFOUND|EAI_\w+|EHOST(?:UNREACH|DOWN)|ENET(?:UNREACH|DOWN|RESET))$/,
  /^UND_ERR_(?:SOCKET|CONNECT_TIMEOUT|HEADERS_TIMEOUT|BODY_TIMEOUT|RESPONSE\w*|CLOSED|DESTROYED)$/,
  /^(?:ERR_STREAM_PREMATURE_CLOSE|ERR_SOCKET\w+|ERR_HTTP2_\w+|ConnectionRefused|ConnectionClosed|FailedToOpenSocket)$/,
  /^(?:Throttling|TooManyRequests|ServiceUnavailable|InternalServer|ModelTimeout|ModelStreamError|ModelNotReady|RequestTimeout)(?:Error|Exception)$/,
  /^(?:RateLimit|Overloaded|APIConnection|APITimeout|Connection|ConnectTimeout|ReadTimeout|RemoteProtocol|Connect|Read)Error$/,
  /^(?:Read|Connect|Pool|Write)Timeout$/,
]

/** A bound that fills up again by itself, and soon. */
const BRIEF = /\b(?:per|this|a) (?:minute|second)\b|\b(?:retry|again) (?:in|after) [\d.]+ ?(?:ms|s|sec\w*)\b/
const BOUND = /\b(?:quota|limit)\b/
/** Too common to count in a text that names a file. */
const TIMEOUT = /\btime(?:d)?[ -]?out\b/

/** @param facts an error, or only its text */
export function classifyError(facts: ErrorFacts | string): ErrorClass {
  const signs = signsOf(typeof facts === 'string' ? { text: facts } : facts)
  if (overflows(signs)) return 'overflow'
  return bySpending(signs) ?? byStatus(signs.status) ?? byName(signs.names) ?? byWords(signs) ?? 'unknown'
}

function bySpending({ status, names, words }: ErrorSigns): ErrorClass | undefined {
  if (names.some((name) => SPENT.test(name))) return 'fatal'
  return status === 429 && SPENT_WORDS.test(words) && !WILL_REFILL.test(words) ? 'fatal' : undefined
}

function byStatus(status: number | undefined): ErrorClass | undefined {
  if (status === undefined || status < 400) return undefined
  if (TRANSIENT_STATUS.has(status)) return 'transient'
  if (status < 500) return 'fatal'
  return FATAL_SERVER_STATUS.has(status) ? 'fatal' : 'transient'
}

function byName(names: readonly string[]): ErrorClass | undefined {
  for (const name of names) {
    if (TRANSIENT_NAMES.some((pattern) => pattern.test(name))) return 'transient'
    if (FATAL_NAMES.some((pattern) => pattern.test(name))) return 'fatal'
  }
  return undefined
}

/** The first statement in a text is what it is about. */
function byWords({ words, namesFile }: ErrorSigns): ErrorClass | undefined {
  const fatal = placeOf(words, FATAL_WORDS)
  const transient = placeOf(words, TRANSIENT_WORDS)
  if (transient < Number.POSITIVE_INFINITY && transient <= fatal) return 'transient'
  if (fatal < Number.POSITIVE_INFINITY) return BRIEF.test(words) && BOUND.test(words) ? 'transient' : 'fatal'
  return TIMEOUT.test(words) && !namesFile ? 'transient' : undefined
}
