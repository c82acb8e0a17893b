/**
 * What a worker's report says, read without a model: its conclusion, the files it says it made and changed, what it
 * could not verify. Everything here is a worker's claim.
 */

export interface ReportFacts {
  readonly conclusion: string
  readonly filesAdded: readonly string[]
  readonly filesChanged: readonly string[]
  readonly errors: readonly string[]
  readonly triedAndFailed: readonly string[]
  readonly toRemember: readonly string[]
}

/** Longer reports are read to here: conclusions stand early, lists of files within it. */
const MOST_CHARS = 60_000
const MOST_LINE_CHARS = 500

const RESULT_MARK = '--- RESULT ---'
const HARNESS_NOTE = /^\[harness: [^\n]*\]\n+/
const HEADING = /^(?:#{1,6}\s+(.*)|\*\*([^*]{1,100})\*\*:?|([A-Z][A-Za-z ]{2,60}):)$/
const CONCLUDES = /\b(?:summary|conclusion|result|verdict|outcome|overall)/i
/** What was done, never what should be: "needs to be updated" claims nothing. */
const ADDED = /\b(?:added|created|wrote)\b/i
const CHANGED = /\b(?:changed|modified|edited|updated|fixed|refactored|renamed|removed|deleted)\b/i
const NOT_DONE =
  /\b(?:to|be|been|should|must|could|would|needs?|needed|not|never|no|un)[ -]?(?:be )?(?:added|created|wrote|changed|modified|edited|updated|fixed|refactored|renamed|removed|deleted)\b|\bno (?:changes?|files?)\b/i
const ADDED_SECTION = /^(?:(?:new|added|created) files?|files? (?:added|created))\b/i
const CHANGED_SECTION =
  /^(?:what i (?:changed|did)|changes(?: made)?$|(?:modified|changed|updated|edited) files?|files? (?:changed|modified|edited|updated|touched))/i
const FAILS = /^(?:errors?|fatal|blocked|exception|traceback|failures?)\b[^:]{0,40}:|^[^:]{1,60} failed:|❌|\bFAILED\b/i
const SUCCEEDS = /\b(?:0|no|zero) (?:errors?|failures?|failed)\b|\b(?:failed|failures|errors): (?:0|none)\b/i
const TRIES = /\b(?:tried|attempted)\b|\b(?:did not|didn't|does not|doesn't) work\b/i
const REMEMBERS =
  /\b(?:unverified|not verified|could(?: not|n't) (?:be )?verif\w*|caveats?|open questions?|known issues?|known limitations?)\b|^to remember\b/i
const NOTES = /^(?:note|important|warning|caution|caveat|remember)s?:/i
/** What a worker says before it says anything. */
const PREAMBLE =
  /^(?:perfect|great|excellent|good|okay|ok|done|now|based on|i (?:now )?have|i'll|i will|i've|let me|here(?:'s| is| are))\b/i
const PATH =
  /(?<![\w/@.-])(?:~?\/)?(?:[\w@.+-]{1,80}\/){0,20}[\w@+-]{1,80}(?:\.[\w-]{1,30}){0,3}\.[a-z][a-z0-9]{0,7}(?![\w/])/gi
/** Without a folder only these count: `e.g` and `hooks.json` look alike. */
const FILE_END =
  /\.(?:[cm]?[jt]sx?|py|go|rs|java|kt|rb|php|c|h|cc|cpp|hpp|cs|swift|sh|sql|md|mdx|txt|json|ya?ml|toml|ini|cfg|lock|html?|s?css|vue|svelte|csv|xml|gradle|tf|proto)$/i

export function readReport(report: string): ReportFacts {
  const marked = report.lastIndexOf(RESULT_MARK)
  const words = report.slice(marked < 0 ? 0 : marked + RESULT_MARK.length).slice(0, MOST_CHARS)
  const lines = linesOf(words.trimStart().replace(HARNESS_NOTE, ''))
  const added = new Set<string>()
  const changed = new Set<string>()
  for (const { text, section, heading } of lines) {
    if (heading) continue
    const how = changeIn(text) ?? sectionChange(section)
    if (how === undefined) continue
    for (const path of pathsIn(text)) (how === 'added' ? added : changed).add(path)
  }
  for (const path of changed) added.delete(path)
  const said = lines.filter(({ heading, fenced }) => !heading && !fenced)
  const conclusion = conclusionOf(said.length > 0 ? said : lines)
  return {
    conclusion,
    filesAdded: [...added],
    filesChanged: [...changed],
    errors: said
      .filter(({ text }) => FAILS.test(text) && !SUCCEEDS.test(text) && !conclusion.includes(text))
      .map(({ text }) => text),
    triedAndFailed: said.filter(({ text }) => TRIES.test(text)).map(({ text }) => text),
    toRemember: said
      .filter(({ text, section }) => REMEMBERS.test(section) || REMEMBERS.test(text) || NOTES.test(text))
      .map(({ text }) => text),
  }
}

interface Line {
  readonly text: string
  /** The heading it stands under. */
  readonly section: string
  readonly heading: boolean
  /** Inside a code block or a table. */
  readonly fenced: boolean
}

function linesOf(report: string): Line[] {
  const lines: Line[] = []
  let section = ''
  let fenced = false
  for (const raw of report.split('\n')) {
    const line = raw.trim().slice(0, MOST_LINE_CHARS)
    if (line.startsWith('```')) {
      fenced = !fenced
      continue
    }
    if (line === '' || /^[-=*_]{3,}$/.test(line)) continue
    const heading = fenced ? null : HEADING.exec(line)
    if (heading) section = heading[1] ?? heading[2] ?? heading[3] ?? ''
    lines.push({ text: wordsIn(line), section, heading: heading !== null, fenced: fenced || line.startsWith('|') })
  }
  return lines
}

/** Without the marks of a list and of emphasis. */
function wordsIn(line: string): string {
  return line
    .replace(/^(?:[-*•]|\d{1,3}[.)])\s+/, '')
    .replaceAll('**', '')
    .replaceAll('`', '')
    .trim()
}

function changeIn(text: string): 'added' | 'changed' | undefined {
  if (NOT_DONE.test(text)) return undefined
  if (CHANGED.test(text)) return 'changed'
  return ADDED.test(text) ? 'added' : undefined
}

function sectionChange(section: string): 'added' | 'changed' | undefined {
  if (ADDED_SECTION.test(section)) return 'added'
  return CHANGED_SECTION.test(section) ? 'changed' : undefined
}

function pathsIn(text: string): string[] {
  return [...text.matchAll(PATH)]
    .map(([path]) => path)
    .filter((path) => (path.includes('/') ? !path.includes('//') : FILE_END.test(path)))
}

/** The first line under a heading that concludes, else the first that is no preamble; short ones go on. */
function conclusionOf(said: readonly Line[]): string {
  const concluding = said.findIndex(({ section }) => CONCLUDES.test(section))
  const first = said.findIndex(({ text }) => !PREAMBLE.test(text))
  const start = concluding >= 0 ? concluding : Math.max(0, first)
  const lines: string[] = []
  let chars = 0
  for (const { text } of said.slice(start)) {
    if (chars >= FEWEST_CONCLUSION_CHARS) break
    lines.push(text)
    chars += text.length
  }
  return lines.join(' ')
}

const FEWEST_CONCLUSION_CHARS = 120
