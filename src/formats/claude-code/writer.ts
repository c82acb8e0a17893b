/** Writes a session with its edits: untouched lines pass as they are, edited ones are spliced. */
import type { Edit } from '../../core/edits.ts'
import type { Session, SessionWriter } from '../format.ts'
import { parseLine } from '../lines.ts'
import { sessionText } from '../session-text.ts'
import { lineEdits } from './line-edits.ts'

/** `edits` are addressed to the session's own reading; the same source lines must be pushed, in order. */
export function claudeCodeWriter(session: Session, edits: readonly Edit[]): SessionWriter {
  const lines = lineEdits(session, edits)
  const output = sessionText()
  return {
    push(line) {
      const fate = lines.next(line.number)
      if (fate === 'same') return output.keep(line)
      const { text, entries } = parseLine(line)
      if (fate === 'held') {
        output.remove(line)
        return lines.hold(text, entries).flatMap((one) => output.add(one))
      }
      const { splices, added } = lines.render(text, entries, line.end === '\r\n' ? '\r\n' : '\n')
      const pieces: Buffer[] = []
      if (splices === 'gone') output.remove(line)
      else if (splices.length === 0) pieces.push(...output.keep(line))
      else pieces.push(...output.change(line, text, splices))
      return [...pieces, ...added.flatMap((one) => output.add(one))]
    },
    finish: () => lines.finish().flatMap((one) => output.add(one)),
    get splices() {
      return output.splices
    },
  }
}
