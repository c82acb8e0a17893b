/**
 * What a session's edits make of each of its lines, as text: the plan made once, then asked for line by line, in order.
 * Writers of files and of stores stand on it.
 */
import type { Edit } from '../../core/edits.ts'
import { SpillwayError } from '../../core/errors.ts'
import type { Session } from '../format.ts'
import { skipWhitespace, spliceText, type TextSplice } from '../json-spans.ts'
import type { LineEntry } from '../lines.ts'
import { planChain } from './chain-plan.ts'
import { type EntryPlan, planEdits } from './edit-plan.ts'
import { hollowEntryJson, newEntriesJson } from './new-entry.ts'
import { nativeOf } from './session.ts'
import { shifted, spliceEntry } from './splice-entry.ts'

/** One line after its edits: the splices of its text, or nothing left of it. */
interface Rendered {
  readonly splices: readonly TextSplice[] | 'gone'
  /** Lines that follow it. */
  readonly added: readonly string[]
}

/**
 * - `same`: the line stays as it is
 * - `held`: it changes places, so what is to be written in its stead comes when its new place is reached
 * - `edited`: it is to be rendered
 */
export type LineFate = 'same' | 'held' | 'edited'

export interface LineEdits {
  /** What happens to the next line. It counts as dealt with; an edited or held one is then rendered or held. */
  next(number: number): LineFate
  /** `found`: the objects of the line's text; `lineBreak`: what splits joined ones. */
  render(text: string, found: readonly LineEntry[], lineBreak: string): Rendered
  /** Takes a held line. @returns the lines that can be written now */
  hold(text: string, found: readonly LineEntry[]): readonly string[]
  /** Held lines whose place never came. */
  finish(): readonly string[]
}

/** @throws SpillwayError `usage` where the reading was made to measure */
export function lineEdits(session: Session, edits: readonly Edit[]): LineEdits {
  const native = nativeOf(session)
  if (edits.length > 0 && native.reading !== 'view') {
    throw new SpillwayError('usage', 'only a full reading of the view can be written; this one was made to measure')
  }
  const plan = planEdits(session, native, edits)
  const chain = planChain(native, plan)
  const windows = [...chain.windows]
  const waiting = new Map<number, string[]>()
  /** Entries of the line that `next` looked at last: from `first`, up to but not including `end`. */
  let first = 0
  let end = 0

  function fate(): LineFate {
    const window = windows[0]
    if (window !== undefined && first <= window.to && end > window.from) return 'held'
    for (let at = first; at < end; at++) {
      if (plan.entries.has(at) || plan.gone.has(at) || chain.added.has(at)) return 'edited'
    }
    return 'same'
  }

  function objectSplices(text: string, one: LineEntry, ordinal: number): TextSplice[] {
    const entry = native.entries[ordinal]
    const entryPlan = plan.entries.get(ordinal)
    if (!entry || !entryPlan) return []
    if (entryPlan.hollow) return [hollowed(text, one, entryPlan)]
    return spliceEntry(text, skipWhitespace(text, one.start), entry, entryPlan)
  }

  return {
    next(number) {
      first = end
      while (native.entries[end]?.link.line === number) end++
      return first === end ? 'same' : fate()
    },
    /** Usually one object; joined ones stay joined (new ones among them too) unless the line is split. */
    render(text, found, lineBreak) {
      const splitLine = found.some((_, index) => plan.entries.get(first + index)?.splitLine)
      const between = splitLine ? lineBreak : ''
      const splices: TextSplice[] = []
      let added: readonly string[] = []
      let isOpen = false
      const separate = (from: number, to: number): void => {
        if (splitLine && (isOpen || to > from)) splices.push({ start: from, end: to, text: isOpen ? between : '' })
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
          for (const json of added) splices.push({ start: one.end, end: one.end, text: (isOpen ? between : '') + json })
          isOpen ||= added.length > 0
        }
        at = one.end
      })
      const tail = skipWhitespace(text, at)
      if (tail >= text.length && !isOpen) return { splices: 'gone', added }
      if (tail < text.length) separate(at, tail)
      return { splices, added }
    },
    /** Entries of a window wait, each as a line of its own, until the last one is there; then all follow in the new order. */
    hold(text, found) {
      const window = windows[0]
      if (!window) return []
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
      return [...before, ...window.order, ...waiting.keys()].flatMap((ordinal) => {
        const texts = waiting.get(ordinal) ?? []
        waiting.delete(ordinal)
        return texts
      })
    },
    finish() {
      const left = [...waiting.values()].flat()
      waiting.clear()
      return left
    },
  }
}

function hollowed(text: string, { start, end }: LineEntry, plan: EntryPlan): TextSplice {
  const parent = plan.fields.get('parentUuid')
  const json = hollowEntryJson(text, start, typeof parent === 'string' || parent === null ? parent : undefined)
  return { start, end, text: json }
}
