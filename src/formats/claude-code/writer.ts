/** Writes a session with its edits: untouched lines pass as they are, edited ones are spliced. */
import type { Edit } from '../../core/edits.ts'
import { SpillwayError } from '../../core/errors.ts'
import type { Session, SessionWriter, SourceLine } from '../format.ts'
import { skipWhitespace, spliceText, type TextSplice } from '../json-spans.ts'
import { type LineEntry, parseLine } from '../lines.ts'
import { sessionText } from '../session-text.ts'
import { planChain } from './chain-plan.ts'
import { type EntryPlan, planEdits } from './edit-plan.ts'
import type { Window } from './line-order.ts'
import { hollowEntryJson, newEntriesJson } from './new-entry.ts'
import { nativeOf } from './session.ts'
import { shifted, spliceEntry } from './splice-entry.ts'

/** One line after its edits: the splices of its text, or nothing left of it. */
interface Rendered {
  readonly text: string
  readonly splices: readonly TextSplice[] | 'gone'
  /** Lines that follow it. */
  readonly added: readonly string[]
}

export interface EntryWriter extends SessionWriter {
  /** Takes the next line as it is where no edit touches it; else false, and it must be pushed. */
  passes(number: number): boolean
}

/** `edits` are addressed to the session's own reading; the same source lines must be pushed, in order. */
export function claudeCodeWriter(session: Session, edits: readonly Edit[]): EntryWriter {
  const native = nativeOf(session)
  if (edits.length > 0 && native.reading !== 'view') {
    throw new SpillwayError('usage', 'only a full reading of the view can be written; this one was made to measure')
  }
  const plan = planEdits(session, native, edits)
  const chain = planChain(native, plan)
  const output = sessionText()
  const windows = [...chain.windows]
  const waiting = new Map<number, string[]>()
  let next = 0

  /** Usually one object; joined ones stay joined (new ones among them too) unless the line is split. */
  function render(line: SourceLine, found: readonly LineEntry[], text: string, first: number): Rendered {
    const splitLine = found.some((_, index) => plan.entries.get(first + index)?.splitLine)
    const lineBreak = splitLine ? (line.end === '\r\n' ? '\r\n' : '\n') : ''
    const splices: TextSplice[] = []
    let added: readonly string[] = []
    let isOpen = false
    const separate = (start: number, end: number): void => {
      if (splitLine && (isOpen || end > start)) splices.push({ start, end, text: isOpen ? lineBreak : '' })
    }
    let at = found[0]?.start ?? 0
    found.forEach((one, index) => {
      const ordinal = first + index
      if (plan.gone.has(ordinal)) splices.push({ start: one.start, end: one.end, text: '' })
      else {
        separate(at, one.start)
        splices.push(...objectSplices(text, one, ordinal))
        isOpen = true
      }
      added = newEntriesJson(text, one.start, chain.added.get(ordinal) ?? [])
      if (index < found.length - 1) {
        for (const json of added) splices.push({ start: one.end, end: one.end, text: (isOpen ? lineBreak : '') + json })
        isOpen ||= added.length > 0
      }
      at = one.end
    })
    const tail = skipWhitespace(text, at)
    if (tail >= text.length && !isOpen) return { text, splices: 'gone', added }
    if (tail < text.length) separate(at, tail)
    return { text, splices, added }
  }

  function objectSplices(text: string, one: LineEntry, ordinal: number): TextSplice[] {
    const entry = native.entries[ordinal]
    const entryPlan = plan.entries.get(ordinal)
    if (!entry || !entryPlan) return []
    if (entryPlan.hollow) return [hollowed(text, one, entryPlan)]
    return spliceEntry(text, skipWhitespace(text, one.start), entry, entryPlan)
  }

  /** Entries of a window wait, each as a line of its own, until the last one is there; then all follow in the new order. */
  function hold(line: SourceLine, window: Window, first: number): Buffer[] {
    const { text, entries: found } = parseLine(line)
    output.remove(line)
    found.forEach((one, index) => {
      const ordinal = first + index
      const own = text.slice(one.start, one.end)
      const splices = objectSplices(text, one, ordinal).map((splice) => shifted(splice, -one.start))
      const news = newEntriesJson(text, one.start, chain.added.get(ordinal) ?? [])
      const tail = index === found.length - 1 ? text.slice(one.end).trim() : ''
      const lines = [plan.gone.has(ordinal) ? '' : spliceText(own, splices), ...news, tail]
      waiting.set(
        ordinal,
        lines.filter((each) => each !== ''),
      )
    })
    if (first + found.length - 1 < window.to) return []
    windows.shift()
    const before = [...waiting.keys()].filter((ordinal) => ordinal < window.from)
    const lines = [...before, ...window.order, ...waiting.keys()].flatMap((ordinal) => {
      const texts = waiting.get(ordinal) ?? []
      waiting.delete(ordinal)
      return texts
    })
    return lines.flatMap((text) => output.add(text))
  }

  /** The first entry behind those of this line, which begin at `next`. */
  function endOf(number: number): number {
    let end = next
    while (native.entries[end]?.link.line === number) end++
    return end
  }

  function isTouched(first: number, end: number): boolean {
    const window = windows[0]
    if (window !== undefined && first <= window.to && end > window.from) return true
    for (let at = first; at < end; at++) {
      if (plan.entries.has(at) || plan.gone.has(at) || chain.added.has(at)) return true
    }
    return false
  }

  return {
    passes(number) {
      const end = endOf(number)
      if (end > next && isTouched(next, end)) return false
      next = end
      return true
    },
    push(line) {
      const first = next
      next = endOf(line.number)
      if (first === next || !isTouched(first, next)) return output.keep(line)
      const window = windows[0]
      if (window !== undefined && first <= window.to && next > window.from) return hold(line, window, first)
      const parsed = parseLine(line)
      const rendered = render(line, parsed.entries, parsed.text, first)
      const pieces: Buffer[] = []
      if (rendered.splices === 'gone') output.remove(line)
      else if (rendered.splices.length === 0) pieces.push(...output.keep(line))
      else pieces.push(...output.change(line, rendered.text, rendered.splices))
      return [...pieces, ...rendered.added.flatMap((text) => output.add(text))]
    },
    finish() {
      const left = [...waiting.values()].flat()
      waiting.clear()
      return left.flatMap((text) => output.add(text))
    },
    get splices() {
      return output.splices
    },
  }
}

function hollowed(text: string, { start, end }: LineEntry, plan: EntryPlan): TextSplice {
  const parent = plan.fields.get('parentUuid')
  const json = hollowEntryJson(text, start, typeof parent === 'string' || parent === null ? parent : undefined)
  return { start, end, text: json }
}
