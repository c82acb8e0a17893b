/** Writes a session with its edits: untouched lines pass as they are, edited ones are spliced. */
import type { Edit } from '../../core/edits.ts'
import { SpillwayError } from '../../core/errors.ts'
import type { Session, SessionWriter, SourceLine } from '../format.ts'
import { skipWhitespace, spliceText, type TextSplice } from '../json-spans.ts'
import { type LineEntry, parseLine } from '../lines.ts'
import { sessionText } from '../session-text.ts'
import { planChain, type Window } from './chain-plan.ts'
import { type EntryPlan, planEdits } from './edit-plan.ts'
import { hollowEntryJson, newEntryJson } from './new-entry.ts'
import { nativeOf } from './session.ts'
import { spliceEntry } from './splice-entry.ts'

/** One line after its edits: the splices of its text, or nothing left of it. */
interface Rendered {
  readonly text: string
  readonly splices: readonly TextSplice[] | 'gone'
  /** Lines that follow it. */
  readonly added: readonly string[]
}

/** `edits` are addressed to the session's own reading; the same source lines must be pushed, in order. */
export function claudeCodeWriter(session: Session, edits: readonly Edit[]): SessionWriter {
  const native = nativeOf(session)
  const { sizesOnly, reading = 'view' } = native.options
  if (edits.length > 0 && (sizesOnly || reading !== 'view')) {
    throw new SpillwayError('usage', 'only a full reading of the view can be written; this one was made to measure')
  }
  const plan = planEdits(session, native, edits)
  const chain = planChain(native, plan)
  const output = sessionText()
  const windows = [...chain.windows]
  const waiting = new Map<number, string[]>()
  let next = 0

  function render(line: SourceLine, found: readonly LineEntry[], text: string, first: number): Rendered {
    const splices: TextSplice[] = []
    const added: string[] = []
    let living = 0
    const splitLine = found.some((_, index) => plan.entries.get(first + index)?.splitLine)
    // Between joined objects a new one is joined too, unless the line is split.
    const lineBreak = splitLine ? breakOf(line) : ''
    found.forEach((one, index) => {
      const ordinal = first + index
      const entry = native.entries[ordinal]
      const entryPlan = plan.entries.get(ordinal)
      if (plan.gone.has(ordinal)) {
        const end = found[index + 1]?.start ?? skipWhitespace(text, one.end)
        splices.push({ start: one.start, end, text: '' })
        return
      }
      living++
      if (entryPlan?.hollow) splices.push(hollowed(text, one, entryPlan))
      else if (entry && entryPlan) splices.push(...spliceEntry(text, skipWhitespace(text, one.start), entry, entryPlan))
      const news = (chain.added.get(ordinal) ?? []).map((extra) => newEntryJson(text, one.start, extra))
      if (index === found.length - 1) added.push(...news)
      else for (const json of news) splices.push({ start: one.end, end: one.end, text: lineBreak + json })
    })
    if (living === 0 && isWholeLine(found, text)) return { text, splices: 'gone', added }
    if (splitLine) splices.push(...splitsOf(found, text, lineBreak, (index) => plan.gone.has(first + index)))
    return { text, splices, added }
  }

  function inWindow(window: Window | undefined, ordinal: number): window is Window {
    return window !== undefined && ordinal >= window.from && ordinal <= window.to
  }

  /** Lines of a window wait until its last entry is there, then follow in the new order. */
  function hold(line: SourceLine, window: Window, first: number, last: number, rendered: Rendered): Buffer[] {
    output.remove(line)
    const own = rendered.splices === 'gone' ? [] : [spliceText(rendered.text, rendered.splices)]
    waiting.set(first, [...own, ...rendered.added])
    if (last < window.to) return []
    windows.shift()
    const lines = [...window.order, ...waiting.keys()].flatMap((ordinal) => {
      const texts = waiting.get(ordinal) ?? []
      waiting.delete(ordinal)
      return texts
    })
    return lines.flatMap((text) => output.add(text))
  }

  return {
    push(line) {
      const first = next
      while (native.entries[next]?.link.line === line.number) next++
      if (first === next) return output.keep(line)
      const ordinals = Array.from({ length: next - first }, (_, index) => first + index)
      const window = windows[0]
      const held = inWindow(window, next - 1)
      const touched = ordinals.some((at) => plan.entries.has(at) || plan.gone.has(at) || chain.added.has(at))
      if (!held && !touched) return output.keep(line)
      const parsed = parseLine(line)
      const rendered = render(line, parsed.entries, parsed.text, first)
      if (held) return hold(line, window, first, next - 1, rendered)
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

/** The line holds nothing but these objects (no damage behind them that must be kept). */
function isWholeLine(found: readonly LineEntry[], text: string): boolean {
  return skipWhitespace(text, found.at(-1)?.end ?? 0) >= text.length
}

function breakOf(line: SourceLine): string {
  return line.end === '\r\n' ? '\r\n' : '\n'
}

/** A line break between joined objects, and before the damage that follows the last whole one. */
function splitsOf(
  found: readonly LineEntry[],
  text: string,
  lineBreak: string,
  isGone: (index: number) => boolean,
): TextSplice[] {
  return found.flatMap((one, index) => {
    const start = found[index + 1]?.start ?? skipWhitespace(text, one.end)
    if (start >= text.length || isGone(index)) return []
    return [{ start: one.end, end: start, text: lineBreak }]
  })
}
