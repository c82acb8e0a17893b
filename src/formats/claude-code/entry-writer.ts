/** Writes a session that a store keeps, entry by entry: untouched entries pass as they are. */
import type { Edit } from '../../core/edits.ts'
import type { Session } from '../format.ts'
import { spliceText } from '../json-spans.ts'
import { lineEdits } from './line-edits.ts'
import type { SessionStoreEntry } from './session-store.ts'

/** `edits` are addressed to the reading of these very entries, one a line. The entries themselves stay as they are. */
export function editedEntries(
  session: Session,
  edits: readonly Edit[],
  entries: readonly SessionStoreEntry[],
): SessionStoreEntry[] {
  const lines = lineEdits(session, edits)
  const edited: SessionStoreEntry[] = []
  const take = (texts: readonly string[]): void => {
    for (const text of texts) edited.push(JSON.parse(text))
  }
  entries.forEach((entry, index) => {
    const fate = lines.next(index + 1)
    if (fate === 'same') {
      edited.push(entry)
      return
    }
    const text = JSON.stringify(entry)
    const found = [{ value: entry, start: 0, end: text.length }]
    if (fate === 'held') {
      take(lines.hold(text, found))
      return
    }
    const { splices, added } = lines.render(text, found, '\n')
    if (splices !== 'gone') {
      if (splices.length === 0) edited.push(entry)
      else take([spliceText(text, splices)])
    }
    take(added)
  })
  take(lines.finish())
  return edited
}
