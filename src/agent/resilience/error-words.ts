/** What errors say in words, by what it means. Lower case; the earliest phrase in a text is what the text is about. */

/** Nothing that waiting mends. */
export const FATAL_WORDS: readonly RegExp[] = [
  // Who asks.
  /\b(?:invalid|incorrect|missing|no|bad|expired|revoked)\b[^.;,]{0,24}\b(?:api[ -]?key|x-api-key|credentials?|(?:bearer|auth\w*|access) token)\b/,
  /\bapi key (?:not|is (?:not|invalid|missing|expired))/,
  /\b(?:could not|cannot|unable to|failed to) (?:load|find|get) credentials\b/,
  /\bnot logged in\b|\b(?:please )?run \/login\b|\bauthentication (?:failed|error|required)\b|\bfailed to authenticate\b/,
  /\b(?:oauth |access |security )?token (?:has )?(?:been )?(?:expired|revoked)\b|\boauth\b[^.;]{0,40}\bnot supported\b/,
  // What it may.
  /\bunauthori[sz]ed\b|\bnot authori[sz]ed\b|\bforbidden\b|\bpermission denied\b|\baccess denied\b|\bdo(?:es)? not have access\b/,
  /\b(?:account|organi[sz]ation|workspace|api key)\b[^.;]{0,30}\b(?:disabled|suspended|on hold|deactivated|banned)\b/,
  // What it costs, and bounds of the run.
  /\bcredit balance\b|\bout of credits?\b|\binsufficient (?:credits?|funds|balance|quota)\b|\bpayment required\b|余额不足|欠费/,
  /\bbilling (?:error|issue|problem|details|information|account|hard limit)\b/,
  /\bquota (?:is )?(?:exceeded|exhausted|used up)\b|\bexceeded your (?:current )?quota\b|\b(?:usage|spend(?:ing)?) limit\b/,
  /\bbudget\b[^.;]{0,20}\b(?:exceeded|exhausted|used up|reached|spent)\b|\bexceed\w*\b[^.;]{0,20}\bbudget\b|\b(?:over|out of) budget\b/,
  /\bmax(?:imum)?[ _](?:number of )?turns\b|\bturn limit\b/,
  // What is asked for.
  /\b(?:unknown|unsupported|invalid|no such) model\b/,
  /\bmodel\b[^.;]{0,40}\b(?:not found|does not exist|not supported|is not available)\b/,
  /\bunprocessable\b|\binvalid[ _]request\b|\bbad request\b|\bmethod not allowed\b/,
  // How it is reached.
  /\bcertificate\b|\bself[ -]signed\b|\bwrong version number\b|\bssl (?:alert|routines)\b|\bunsupported protocol\b/,
  /\bbinary\b[^.;]{0,30}\bnot found\b|\bcommand not found\b|\bno space left on device\b/,
]

/** What passes. */
export const TRANSIENT_WORDS: readonly RegExp[] = [
  // The provider has too much to do.
  /^terminated$|\bresources? (?:has been |is )?exhausted\b|\boverloaded\b|\b(?:over|at) capacity\b|\bthrottl\w+|繁忙/,
  /\btoo many (?:\w+ )?requests\b|\btoo many tokens\b|\brate[ -]?limit\w*|过于频繁/,
  /\btemporar(?:y|ily)\b|\btry again\b|\bmodel\b[^.;]{0,20}\bloading\b|稍后重试/,
  // The provider is broken.
  /\binternal (?:server )?error\b|\bserver (?:had an )?error\b|\bbad gateway\b|\bgateway time-?out\b/,
  /\bservice (?:is )?(?:temporarily )?unavailable\b|\bno healthy upstream\b/,
  /\bunexpected (?:eof|end of (?:file|stream|json input))\b|\bunexpected token\b[^;]{0,30}\bjson\b/,
  /\bincomplete (?:chunked )?(?:read|message|response)\b|\bstream\b[^.;]{0,30}\b(?:closed|ended|interrupted|aborted|error)\b/,
  // The way to it is.
  /\bconnection (?:error|reset|refused|closed|aborted|lost|dropped|failed|terminated|timed out|timeout|was)\b/,
  /\bconnection to\b[^;]{0,60}\b(?:failed|refused|lost|timed out)\b|\brefused (?:the |our )?connection\b|连接(?:失败|超时|中断)/,
  /\b(?:connect|connecting)\b[^.;]{0,20}\b(?:failed|timed out|error)\b|\brequest timed? ?out\b/,
  /\bsocket (?:hang up|timeout)\b|\bsocket\b[^.;]{0,40}\b(?:closed|disconnected)\b|\bdisconnected\b|\bother side closed\b/,
  /\bbroken pipe\b|\bpremature(?:ly)? close\w*|\bfetch failed\b|\bfailed to fetch\b/,
  /\bnetwork\b[^.;]{0,20}\b(?:unreachable|error|down|changed|lost|timeout|failure|failed)\b|网络/,
  /\bno route to host\b|\bhost(?: is)? (?:unreachable|down)\b/,
  /\bdns\b|\bname resolution\b|\bname or service not known\b|\bgetaddrinfo\b|\bnodename nor servname\b/,
  /\b(?:could not|cannot|failed to|unable to) resolve\b/,
]

/** Where the earliest of these phrases begins; infinitely far where there is none. */
export function placeOf(words: string, phrases: readonly RegExp[]): number {
  const places = phrases.map((phrase) => words.search(phrase)).filter((place) => place >= 0)
  return Math.min(...places)
}
