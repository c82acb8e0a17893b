/** Carries edits out on the recorded lines. Lines that no edit touches are not even parsed. */
import type { Edit } from '../../core/edits.ts'
import type { Session, SessionWriter, SourceLine } from '../format.ts'
import { spliceText, type TextSplice } from '../json-spans.ts'
import { type ParsedLine, parseLine } from '../lines.ts'
import { sessionText } from '../session-text.ts'
import { type Follower, planOf } from './plan.ts'
import { nativeOf } from './reader.ts'
import { changeSplices } from './splices.ts'

/** Output that may have to wait for a line that stands further down. */
interface Job {
  readonly waitsFor?: number
  run(): Buffer[]
}

/** @throws TypeError when the session was read by another format, or its texts were let go while reading */
export function codexWriter(session: Session, edits: readonly Edit[]): SessionWriter {
  if (session.main.sizesOnly) throw new TypeError('a sizes-only reading cannot be written')
  const native = nativeOf(session)
  const plan = planOf(session, edits)
  const text = sessionText()
  const moved = new Map<number, string>()
  const jobs: Job[] = []
  const { firstOfLine, apart } = touchedLines()

  /** The first entry of every touched line, and the lines that have to be taken apart. */
  function touchedLines(): { firstOfLine: Map<number, number>; apart: Set<number> } {
    const structural = new Set([...plan.gone, ...plan.followers.keys()])
    for (const edit of edits) if (edit.kind === 'split-line') structural.add(edit.at.entry)
    const found = new Map<number, number>()
    const ragged = new Set<number>()
    for (const ordinal of [...structural, ...plan.changed.keys()]) {
      const line = native.entries[ordinal]?.line
      if (line === undefined) continue
      if (structural.has(ordinal) && native.raggedLines.has(line)) ragged.add(line)
      let first = ordinal
      while (native.entries[first - 1]?.line === line) first--
      found.set(line, first)
    }
    return { firstOfLine: found, apart: ragged }
  }

  function splicesOf(parsed: ParsedLine, first: number): TextSplice[] {
    return parsed.entries.flatMap(({ value, start }, index) => {
      const change = plan.changed.get(first + index)
      return change ? changeSplices({ text: parsed.text, start, value }, change) : []
    })
  }

  function follow(followers: readonly Follower[]): void {
    for (const follower of followers) {
      if ('text' in follower) jobs.push({ run: () => text.add(follower.text) })
      else jobs.push({ waitsFor: follower.moved, run: () => text.add(moved.get(follower.moved) ?? '') })
    }
  }

  function removed(line: SourceLine): Buffer[] {
    text.remove(line)
    return []
  }

  function takeWhole(line: SourceLine, first: number): void {
    const parsed = parseLine(line)
    const splices = splicesOf(parsed, first)
    if (plan.gone.has(first)) {
      moved.set(first, spliceText(parsed.text, splices).replace(/^\ufeff/, ''))
      jobs.push({ run: () => removed(line) })
    } else jobs.push({ run: () => (splices.length === 0 ? text.keep(line) : text.change(line, parsed.text, splices)) })
    parsed.entries.forEach((_, index) => {
      follow(plan.followers.get(first + index) ?? [])
    })
  }

  /** Every entry of the line becomes a line of its own; what is no entry stays, as the last of them. */
  function takeApart(line: SourceLine, first: number): void {
    const parsed = parseLine(line)
    const splices = splicesOf(parsed, first)
    jobs.push({ run: () => removed(line) })
    parsed.entries.forEach(({ start, end }, index) => {
      const own = splices.filter((splice) => splice.start >= start && splice.end <= end)
      const grown = spliceText(
        parsed.text.slice(start, end),
        own.map((splice) => ({ ...splice, start: splice.start - start, end: splice.end - start })),
      )
      if (plan.gone.has(first + index)) moved.set(first + index, grown)
      else follow([{ text: grown }])
      follow(plan.followers.get(first + index) ?? [])
    })
    const rest = parsed.text.slice(parsed.entries.at(-1)?.end ?? 0).trim()
    if (rest !== '') follow([{ text: rest }])
  }

  function drain(): Buffer[] {
    const ready = jobs.findIndex((job) => job.waitsFor !== undefined && !moved.has(job.waitsFor))
    return jobs.splice(0, ready < 0 ? jobs.length : ready).flatMap((job) => job.run())
  }

  return {
    push(line) {
      const first = firstOfLine.get(line.number)
      if (first === undefined) {
        if (jobs.length === 0) return text.keep(line)
        jobs.push({ run: () => text.keep(line) })
      } else if (apart.has(line.number)) takeApart(line, first)
      else takeWhole(line, first)
      return drain()
    },
    finish() {
      const pieces = drain()
      if (jobs.length > 0) throw new TypeError('the source has fewer lines than the session that was read from it')
      return pieces
    },
    get splices() {
      return text.splices
    },
  }
}
