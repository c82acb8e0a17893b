/** Carries edits out on the recorded lines. Lines that no edit touches are not even parsed. */
import type { Edit } from '../../core/edits.ts'
import type { ResultBlock } from '../../core/transcript.ts'
import type { Session, SessionWriter, SourceLine } from '../format.ts'
import { spliceText, type TextSplice } from '../json-spans.ts'
import { type ParsedLine, parseLine } from '../lines.ts'
import { sessionText } from '../session-text.ts'
import { type Follower, planOf } from './plan.ts'
import { nativeOf } from './reader.ts'
import { contentSplices, type EntryText, fieldSplices, resultSplices } from './splices.ts'

/** Output that may have to wait for a line that stands further down. */
interface Job {
  readonly waitsFor?: number
  run(): Buffer[]
}

/** @throws TypeError when the session was read by another format, or its texts were let go while reading */
export function piWriter(session: Session, edits: readonly Edit[]): SessionWriter {
  if (session.main.sizesOnly) throw new TypeError('a sizes-only reading cannot be written')
  const native = nativeOf(session)
  const plan = planOf(session, edits)
  const byEntry = editsByEntry(session, edits)
  const results = resultsByEntry(session, edits)
  const splitLines = new Set<number>()
  const firstOfLine = new Map<number, number>()
  touchedLines()
  const text = sessionText()
  const jobs: Job[] = []
  const moved = new Map<number, string>()

  /** Remembers the first entry of every touched line, and the lines that have to be taken apart. */
  function touchedLines(): void {
    const structural = new Set([...plan.gone, ...plan.followers.keys()])
    for (const edit of edits) if (edit.kind === 'split-line') structural.add(edit.at.entry)
    for (const ordinal of [...structural, ...plan.fields.keys(), ...byEntry.keys()]) {
      const line = native.entries[ordinal]?.line
      if (line === undefined) continue
      if (structural.has(ordinal) && native.raggedLines.has(line)) splitLines.add(line)
      let first = ordinal
      while (native.entries[first - 1]?.line === line) first--
      firstOfLine.set(line, first)
    }
  }

  function splicesOf(ordinal: number, entry: EntryText): TextSplice[] {
    const own = byEntry.get(ordinal)
    const content = contentSplices(entry, own?.content ?? [], results.get(ordinal))
    const isWhole = own?.content.some((edit) => edit.kind === 'replace-result' || edit.kind === 'result-to-text')
    const fields = (plan.fields.get(ordinal) ?? []).filter(
      (change) => !(isWhole && change.path.join('.') === 'message.content'),
    )
    return [...content, ...resultSplices(entry, own?.result ?? []), ...fieldSplices(entry, fields)]
  }

  function follow(followers: readonly Follower[]): void {
    for (const follower of followers) {
      if ('text' in follower) jobs.push({ run: () => text.add(follower.text) })
      else jobs.push({ waitsFor: follower.moved, run: () => text.add(moved.get(follower.moved) ?? '') })
    }
  }

  function entriesOf(parsed: ParsedLine, first: number): { ordinal: number; entry: EntryText }[] {
    return parsed.entries.map(({ value, start, end }, index) => ({
      ordinal: first + index,
      entry: { text: parsed.text, value, start, end },
    }))
  }

  function takeWhole(line: SourceLine, first: number): void {
    const parsed = parseLine(line)
    const entries = entriesOf(parsed, first)
    const splices = entries.flatMap(({ ordinal, entry }) => splicesOf(ordinal, entry))
    if (!plan.gone.has(first)) {
      jobs.push({ run: () => (splices.length === 0 ? text.keep(line) : text.change(line, parsed.text, splices)) })
    } else {
      moved.set(first, spliceText(parsed.text, splices).replace(/^\ufeff/, ''))
      jobs.push({ run: () => removed(line) })
    }
    for (const { ordinal } of entries) follow(plan.followers.get(ordinal) ?? [])
  }

  /** Every entry of the line becomes a line of its own; what is no entry stays, as the last of them. */
  function takeApart(line: SourceLine, first: number): void {
    const parsed = parseLine(line)
    jobs.push({ run: () => removed(line) })
    for (const { ordinal, entry } of entriesOf(parsed, first)) {
      const edited = spliceText(parsed.text, splicesOf(ordinal, entry)).slice(entry.start)
      const grown = edited.slice(0, edited.length - (parsed.text.length - entry.end))
      if (plan.gone.has(ordinal)) moved.set(ordinal, grown)
      else follow([{ text: grown }])
      follow(plan.followers.get(ordinal) ?? [])
    }
    const rest = parsed.text.slice(parsed.entries.at(-1)?.end ?? 0).trim()
    if (rest !== '') follow([{ text: rest }])
  }

  function removed(line: SourceLine): Buffer[] {
    text.remove(line)
    return []
  }

  function drain(): Buffer[] {
    const pieces: Buffer[] = []
    let done = 0
    for (const job of jobs) {
      if (job.waitsFor !== undefined && !moved.has(job.waitsFor)) break
      pieces.push(...job.run())
      done++
    }
    jobs.splice(0, done)
    return pieces
  }

  return {
    push(line) {
      const first = firstOfLine.get(line.number)
      if (first === undefined) {
        if (jobs.length === 0) return text.keep(line)
        jobs.push({ run: () => text.keep(line) })
      } else if (splitLines.has(line.number)) takeApart(line, first)
      else takeWhole(line, first)
      return drain()
    },
    finish() {
      for (const line of plan.tail) jobs.push({ run: () => text.add(line) })
      const pieces = drain()
      if (jobs.length > 0) throw new TypeError('the source has fewer lines than the session that was read from it')
      return pieces
    },
    get splices() {
      return text.splices
    },
  }
}

interface EntryEdits {
  /** Edits of the content that stands in this entry. */
  readonly content: Edit[]
  /** Edits of the result that this entry is. */
  readonly result: Edit[]
}

function editsByEntry(session: Session, edits: readonly Edit[]): Map<number, EntryEdits> {
  const { contentIn } = nativeOf(session)
  const byEntry = new Map<number, EntryEdits>()
  const at = (ordinal: number): EntryEdits => {
    const found = byEntry.get(ordinal) ?? { content: [], result: [] }
    byEntry.set(ordinal, found)
    return found
  }
  for (const edit of edits) {
    switch (edit.kind) {
      case 'replace-result':
      case 'result-to-text':
        at(edit.at.entry).result.push(edit)
        at(contentIn.get(edit.at.entry) ?? edit.at.entry).content.push(edit)
        break
      case 'replace-text':
      case 'replace-media':
      case 'replace-arguments':
      case 'drop-block':
      case 'drop-exchange':
      case 'fold-exchange':
      case 'strip-thinking':
      case 'reorder':
        at(contentIn.get(edit.at.entry) ?? edit.at.entry).content.push(edit)
        break
    }
  }
  return byEntry
}

/** The recorded results that become words, by the entry that holds their content. */
function resultsByEntry(session: Session, edits: readonly Edit[]): Map<number, ResultBlock> {
  const wanted = new Set(edits.filter((edit) => edit.kind === 'result-to-text').map((edit) => edit.at.entry))
  const results = new Map<number, ResultBlock>()
  if (wanted.size === 0) return results
  const { contentIn } = nativeOf(session)
  for (const message of session.main.messages) {
    for (const block of message.blocks) {
      if (block.type !== 'result' || !wanted.has(block.at.entry)) continue
      results.set(contentIn.get(block.at.entry) ?? block.at.entry, block)
    }
  }
  return results
}
