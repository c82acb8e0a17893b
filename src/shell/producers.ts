import { A_NAME, A_NUMBER, type Field, type Knowledge, NOTHING_KNOWN } from './fields.ts'
import { lookUp, type Scope } from './scope.ts'

/** What was run, as far as it tells what is printed. */
export interface Ran {
  readonly name: string
  readonly fields: readonly Field[]
  readonly input: boolean
  /** Variables were set for it (`IFS=, read`). */
  readonly separated: boolean
}

/** What is known about every line that a pipeline prints: the whole line, and its first word. */
interface Lines {
  readonly whole: Knowledge
  readonly first: Knowledge
}

const UNKNOWN_LINES: Lines = { whole: NOTHING_KNOWN, first: NOTHING_KNOWN }

interface Producer {
  readonly words: string
  /** Every further word must be a literal that matches. */
  readonly rest: RegExp
  readonly prints: Knowledge
  /** Only the first word of each line is known. */
  readonly firstOnly?: true
  /** One of the words must match. */
  readonly needs?: RegExp
}

/** A revision, range or path that cannot be an option. */
const PLAIN_WORD = '[^-\\s][^\\s]*'
const COUNT = '-\\d+|-n\\d*|\\d+|--max-count=\\d+'
const WALK = `${COUNT}|--all|--reverse|--first-parent|--merges|--no-merges|--since=.*|--until=.*|--after=.*|--before=.*|--author=.*|--grep=.*|--topo-order|--date-order|--`

const PRODUCERS: readonly Producer[] = [
  {
    words: 'git rev-parse',
    rest: new RegExp(
      `^(?:--short(?:=\\d+)?|--verify|--quiet|-q|--abbrev-ref|--symbolic-full-name|--show-toplevel|--git-dir|--git-common-dir|--absolute-git-dir|${PLAIN_WORD})$`,
    ),
    prints: A_NAME,
  },
  { words: 'git merge-base', rest: new RegExp(`^(?:--all|-a|--octopus|--fork-point|${PLAIN_WORD})$`), prints: A_NAME },
  {
    words: 'git rev-list',
    rest: new RegExp(`^(?:--count|${WALK}|${PLAIN_WORD})$`),
    prints: A_NUMBER,
    needs: /^--count$/,
  },
  { words: 'git rev-list', rest: new RegExp(`^(?:${WALK}|${PLAIN_WORD})$`), prints: A_NAME },
  { words: 'git branch', rest: /^--show-current$/, prints: A_NAME, needs: /^--show-current$/ },
  {
    words: 'git log',
    rest: new RegExp(`^(?:--(?:format|pretty)=(?:format:)?%[hH]|${WALK}|${PLAIN_WORD})$`),
    prints: A_NAME,
    needs: /^--(?:format|pretty)=/,
  },
  {
    words: 'git log',
    rest: new RegExp(
      `^(?:--oneline|--no-decorate|--(?:format|pretty)=(?:format:)?%[hH](?: .*)?|${WALK}|${PLAIN_WORD})$`,
    ),
    prints: A_NAME,
    firstOnly: true,
    needs: /^--(?:oneline$|format=|pretty=)/,
  },
  { words: 'pgrep', rest: /^(?!-[a-zA-Z]*[ald]|--(?:list|delim))/, prints: A_NUMBER },
  { words: 'pidof', rest: /^(?:-s|[^-].*)$/, prints: A_NUMBER },
  { words: 'nproc', rest: /^$/, prints: A_NUMBER },
  { words: 'seq', rest: /^\d+$/, prints: A_NUMBER },
  { words: 'date', rest: /^(?:-u|\+%[sYjHMSdm]+)$/, prints: A_NUMBER, needs: /^\+/ },
  { words: 'id', rest: /^-[ug]$/, prints: A_NUMBER, needs: /^-/ },
  { words: 'wc', rest: /^-[lwc]$/, prints: A_NUMBER, needs: /^-/ },
  { words: 'stat', rest: /^(?:-c|%[sYXZhi]|[^-%].*)$/, prints: A_NUMBER, needs: /^-c$/ },
  { words: 'grep', rest: /^(?:-c|[^-].*)$/, prints: A_NUMBER, needs: /^-c$/ },
]

/** Verbs that pass lines on as they are. */
const PASSES_ON = new Set(['head', 'tail', 'sort', 'uniq', 'cat', 'tac'])

/** What the last command of a pipeline prints, from the commands before it. */
export function linesOf(ran: readonly (Ran | undefined)[], scope: Scope): Lines {
  let lines = UNKNOWN_LINES
  for (const one of ran) {
    if (one === undefined) return UNKNOWN_LINES
    const passes = PASSES_ON.has(one.name) && one.fields.every((field) => /^(?:-(?:n|r|u|\d+)|\d+)$/.test(field.text))
    if (!passes) lines = linesOfOne(one, scope)
  }
  return lines
}

function linesOfOne(ran: Ran, scope: Scope): Lines {
  if (ran.name === 'pwd' && ran.fields.length === 0) {
    const place = lookUp(scope, 'PWD')
    return { whole: { ...place, values: undefined }, first: place }
  }
  for (const producer of PRODUCERS) {
    const words = producer.words.split(' ')
    if (words[0] !== ran.name || (words.length > 1 && ran.fields[0]?.text !== words[1])) continue
    if (ran.name === 'wc' && !(ran.input && ran.fields.length === 1)) continue
    if (ran.name === 'grep' && !(ran.input && ran.fields.length === 2)) continue
    const rest = ran.fields.slice(words.length - 1)
    if (!rest.every((field) => field.known && producer.rest.test(field.text))) continue
    if (producer.needs !== undefined && !rest.some((field) => producer.needs?.test(field.text))) continue
    return { whole: producer.firstOnly ? NOTHING_KNOWN : producer.prints, first: producer.prints }
  }
  return UNKNOWN_LINES
}
