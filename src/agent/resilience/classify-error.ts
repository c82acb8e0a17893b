/**
 * What to do about a failed request (pure): try again, give up, or make the prompt shorter. Judged by status, type
 * and code first and by words last; the first sign that says anything decides, in the order given here.
 */
import { type ErrorFacts, type ErrorSigns, signsOf } from './error-facts.ts'
import { overflows } from './overflow.ts'

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

const FATAL_NAMES =
  /^(?:authentication\w*|permission(?:_\w+)?|invalid_(?:request|api_key|grant|token|x_api_key)\w*|not_found\w*|model_not_found|unsupported_\w+|oauth_\w+|verification_required|cloud_credential_error|unauthorized\w*|quota_exceeded|PERMISSION_DENIED|UNAUTHENTICATED|INVALID_ARGUMENT|NOT_FOUND|FAILED_PRECONDITION|(?:Authentication|PermissionDenied|BadRequest|NotFound|UnprocessableEntity|CLINotFound|InvalidRequest|Validation)Error|(?:AccessDenied|Validation|UnrecognizedClient|ExpiredToken|ResourceNotFound|InvalidSignature|ModelNotReadyFatal)Exception|ERR_SSL_\w+|ERR_TLS_\w+|CERT_\w+|DEPTH_ZERO_\w+|SELF_SIGNED_\w+|UNABLE_TO_(?:VERIFY|GET)_\w+|ENOENT|ERR_INVALID_\w+)$/
const TRANSIENT_NAMES =
  /^(?:overloaded\w*|rate_limit\w*|api_error|server_error|internal_\w*error|timeout_error|service_unavailable\w*|temporarily_\w+|engine_overloaded\w*|ECONN(?:RESET|REFUSED|ABORTED)|E(?:SOCKET)?TIMEDOUT|EPIPE|ENOTFOUND|EAI_\w+|EHOST(?:UNREACH|DOWN)|ENET(?:UNREACH|DOWN|RESET)|UND_ERR_(?:SOCKET|CONNECT_TIMEOUT|HEADERS_TIMEOUT|BODY_TIMEOUT|RESPONSE\w*|CLOSED|DESTROYED)|ERR_STREAM_PREMATURE_CLOSE|ERR_SOCKET\w+|ERR_HTTP2_\w+|ConnectionRefused|ConnectionClosed|FailedToOpenSocket|RESOURCE_EXHAUSTED|UNAVAILABLE|DEADLINE_EXCEEDED|ABORTED_RETRY|(?:Throttling|TooManyRequests|ServiceUnavailable|InternalServer|ModelTimeout|ModelNotReady|RequestTimeout)(?:Error|Exception)|(?:RateLimit|Overloaded|InternalServer|API(?:Connection|Timeout)|Connection|ConnectTimeout|ReadTimeout|RemoteProtocol|Connect|Read)Error)$/

/** Words, by where they begin: the first statement in a text is what it is about. */
const FATAL_WORDS =
  /\b(?:invalid|incorrect|missing|no|bad|expired|revoked)\b[^.;,]{0,24}\b(?:api[ -]?key|x-api-key|credentials?|bearer token|auth\w* token|access token)\b|\bapi key (?:not|is (?:not|invalid|missing|expired))|\bnot logged in\b|\b(?:please )?run \/login\b|\b(?:oauth |access |security )?token (?:has )?(?:been )?(?:expired|revoked)\b|\bunauthori[sz]ed\b|\bnot authori[sz]ed\b|\bforbidden\b|\bpermission denied\b|\baccess denied\b|\bauthentication (?:failed|error|required)\b|\bfailed to authenticate\b|\bcredit balance\b|\bquota (?:is )?(?:exceeded|exhausted|used up)\b|\bexceeded your (?:current )?quota\b|\busage limit\b|\bspend(?:ing)? limit\b|\bout of credits?\b|\binsufficient (?:credits?|funds|balance|quota)\b|\bpayment required\b|\bbilling\b|\bbudget\b|\bmax(?:imum)?[ _](?:number of )?turns\b|\bturn limit\b|\b(?:unknown|unsupported|invalid|no such) model\b|\bmodel\b[^.;]{0,40}\b(?:not found|does not exist|not supported|unavailable to you|is not available)\b|\bunprocessable\b|\binvalid[ _]request\b|\bbad request\b|\bmethod not allowed\b|\bcertificate\b|\bself[ -]signed\b|\bwrong version number\b|\bssl (?:alert|routines)\b|\bunsupported protocol\b|\bbinary\b[^.;]{0,30}\bnot found\b|\bcommand not found\b|\bprocess_cwd\b/
const TRANSIENT_WORDS =
  /^terminated$|\bresources? (?:has been |is )?exhausted\b|\boverloaded\b|\bover capacity\b|\bat capacity\b|\btoo many requests\b|\brate[ -]?limit\w*|\bthrottl\w+|\btoo many tokens\b|\binternal (?:server )?error\b|\bserver (?:had an )?error\b|\bbad gateway\b|\bgateway time-?out\b|\bservice (?:is )?(?:temporarily )?unavailable\b|\btemporar(?:y|ily)\b|\btry again\b|\bconnection (?:error|reset|refused|closed|aborted|lost|dropped|failed|terminated|timed out|timeout|was)\b|\b(?:connect|connecting)\b[^.;]{0,20}\b(?:failed|timed out|error)\b|\bsocket (?:hang up|closed|disconnected|timeout)\b|\bsocket\b[^.;]{0,40}\b(?:closed|disconnected)\b|\bbroken pipe\b|\bpremature(?:ly)? close\w*|\bother side closed\b|\bdisconnected\b|\bstream\b[^.;]{0,30}\b(?:closed|ended|interrupted|aborted|error)\b|\bnetwork\b[^.;]{0,20}\b(?:unreachable|error|down|changed|lost|timeout|failure|failed)\b|\bno route to host\b|\bhost(?: is)? (?:unreachable|down)\b|\bdns\b|\bname resolution\b|\bname or service not known\b|\bgetaddrinfo\b|\bfetch failed\b|\bfailed to fetch\b|\brequest timed? ?out\b|\bunexpected (?:eof|end of (?:file|stream|json input))\b|\bincomplete (?:chunked )?(?:read|message|response)\b/
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
    if (TRANSIENT_NAMES.test(name)) return 'transient'
    if (FATAL_NAMES.test(name)) return 'fatal'
  }
  return undefined
}

function byWords({ words, namesFile }: ErrorSigns): ErrorClass | undefined {
  const fatal = words.search(FATAL_WORDS)
  const transient = words.search(TRANSIENT_WORDS)
  if (transient >= 0 && (fatal < 0 || transient <= fatal)) return 'transient'
  if (fatal >= 0) return 'fatal'
  return TIMEOUT.test(words) && !namesFile ? 'transient' : undefined
}
