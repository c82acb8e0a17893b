/**
 * The one message that an eviction leaves behind (seeds C5, C6): how much left and how it comes back, and what the run
 * needs to remain itself. A later one takes the place of an earlier one and counts on from it. It states counts and
 * tools, and never claims what was said; every cap says what it cut.
 */
import { countOf } from '../../core/pointer.ts'
import { REFERENCE_LENGTH } from '../../core/reference.ts'
import { estimateTokens } from '../../core/tokens.ts'

export interface NoteFacts {
  /** The ledger: names every turn that left in this eviction, and the ledger before it. */
  readonly ref: string
  /** So far, over all evictions. */
  readonly turns: number
  readonly calls: number
  readonly byTool: Readonly<Record<string, number>>
}

export interface NoteSection {
  readonly heading: string
  readonly body: string
  /** Stands in its place where the body does not fit; without it the body is cut. */
  readonly otherwise?: string
}

export interface Note {
  readonly text: string
  readonly headings: readonly string[]
  /** One line for each section that was cut or replaced. */
  readonly cuts: readonly string[]
}

const END = '[end of the context note]'
const OPENING = new RegExp(
  `^\\[spillway context note ([a-z2-7]{${REFERENCE_LENGTH}}): (\\d{1,9}) earlier turns?, (\\d{1,9}) calls?(?: \\(([^)\\n]{0,600})\\))? left the context\\.\\]\n`,
)
const HEADING = /^=== (.{1,200}) ===$/
/** More tools are summed up. */
const MOST_TOOLS = 12
const OTHERS = 'others'

export function noteText(facts: NoteFacts, sections: readonly NoteSection[], room: number): Note {
  const head = [opening(facts), `Nothing is lost: every turn is archived. Back: spillway recall ${facts.ref}`]
  const cuts: string[] = []
  const headings: string[] = []
  const lines = [...head]
  let left = room - estimateTokens([...head, END].join('\n'))
  const wanted = sections.map((section) => ({ section, size: sectionSize(section) }))
  let sharing = wanted.length
  // The smallest are placed first, so that one large file takes nothing from a short plan.
  const shares = new Map<NoteSection, number>()
  for (const { section, size } of wanted.toSorted((one, other) => one.size - other.size)) {
    const share = Math.min(size, Math.floor(left / sharing))
    shares.set(section, share)
    left -= share
    sharing--
  }
  for (const { section, size } of wanted) {
    const share = shares.get(section) ?? 0
    const fitted = share >= size ? section.body : shortened(section, share, cuts)
    if (fitted === undefined) continue
    headings.push(section.heading)
    lines.push(`=== ${section.heading} ===`, fitted)
  }
  return { text: [...lines, END].join('\n'), headings, cuts }
}

function opening({ ref, turns, calls, byTool }: NoteFacts): string {
  const tools = Object.entries(byTool).sort(([one, a], [other, b]) => b - a || (one < other ? -1 : 1))
  const named = tools.slice(0, MOST_TOOLS)
  const rest = tools.slice(MOST_TOOLS).reduce((sum, [, count]) => sum + count, 0)
  const list = [...named.map(([tool, count]) => `${tool} ${count}`), ...(rest > 0 ? [`${OTHERS} ${rest}`] : [])]
  const used = list.length > 0 ? ` (${list.join(', ')})` : ''
  return `[spillway context note ${ref}: ${plural(turns, 'earlier turn')}, ${plural(calls, 'call')}${used} left the context.]`
}

function plural(count: number, unit: string): string {
  return `${count} ${unit}${count === 1 ? '' : 's'}`
}

function sectionSize({ heading, body }: NoteSection): number {
  return estimateTokens(`=== ${heading} ===\n${body}\n`)
}

/** What is under this is no help. */
const LEAST_TOKENS = 24

function shortened({ heading, body, otherwise }: NoteSection, share: number, cuts: string[]): string | undefined {
  if (otherwise !== undefined) {
    cuts.push(`${heading}: ${otherwise}`)
    return sectionSize({ heading, body: otherwise }) <= Math.max(share, LEAST_TOKENS) ? otherwise : undefined
  }
  const room = share - sectionSize({ heading, body: '' }) - LEAST_TOKENS
  if (room < LEAST_TOKENS) {
    cuts.push(`${heading}: left out, ${countOf(body.length, 'characters')}`)
    return undefined
  }
  const kept = headOf(body, room)
  const cut = `cut here: ${countOf(body.length - kept.length, 'characters')} of ${countOf(body.length, 'characters')} left out`
  cuts.push(`${heading}: ${cut}`)
  return `${kept}\n[${cut}]`
}

/** The first of a text, as much as fits these tokens, never half a character. */
export function headOf(text: string, tokens: number): string {
  let chars = Math.min(text.length, tokens * MOST_CHARS_PER_TOKEN)
  for (let kept = text.slice(0, chars); ; kept = text.slice(0, chars)) {
    const size = estimateTokens(kept)
    if (size <= tokens) return wholeEnd(kept)
    chars = Math.min(chars - 1, Math.floor((chars * tokens) / size))
  }
}

const MOST_CHARS_PER_TOKEN = 8

function wholeEnd(text: string): string {
  return /[\ud800-\udbff]$/.test(text) ? text.slice(0, -1) : text
}

/** Is this text, whole, one of our notes? */
export function isNote(text: string): boolean {
  return text.startsWith('[spillway context note ') && text.endsWith(END) && OPENING.test(text)
}

export interface ReadNote {
  readonly facts: NoteFacts
  readonly sections: ReadonlyMap<string, string>
}

/** What a note says, so that the next one can go on from it; undefined for other texts. */
export function readNote(text: string): ReadNote | undefined {
  const found = isNote(text) ? OPENING.exec(text) : null
  if (!found) return undefined
  const [head, ref = '', turns, calls, tools = ''] = found
  const byTool: Record<string, number> = {}
  for (const part of tools === '' ? [] : tools.split(', ')) {
    const space = part.lastIndexOf(' ')
    byTool[part.slice(0, space)] = Number(part.slice(space + 1)) || 0
  }
  const sections = new Map<string, string[]>()
  let lines: string[] | undefined
  for (const line of text.slice(head.length, -END.length).split('\n')) {
    const heading = HEADING.exec(line)?.[1]
    if (heading === undefined) lines?.push(line)
    else {
      lines = []
      sections.set(heading, lines)
    }
  }
  const bodies = [...sections].map(([heading, body]): [string, string] => [heading, body.join('\n').trimEnd()])
  return { facts: { ref, turns: Number(turns), calls: Number(calls), byTool }, sections: new Map(bodies) }
}
