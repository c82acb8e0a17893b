/** The index as text: one line a file, every name readable as one name. Pure. */

import type { WorkbenchTexts } from './texts.ts'
import type { IndexEntry, WorkbenchIndex } from './workbench.ts'

export function renderIndex(index: WorkbenchIndex, texts: WorkbenchTexts): string {
  return index.folders
    .map(({ name, path, entries, more }) => {
      const lines = entries.map(lineOf)
      if (lines.length === 0) lines.push(texts.empty)
      if (more > 0) lines.push(`- …${texts.more(more, path)}`)
      return `${texts.titles[name]}:\n${lines.join('\n')}`
    })
    .join('\n')
}

/** Cut at a whole line, for channels that hold only so much. */
export function cutLines(text: string, mostChars: number): string {
  if (text.length <= mostChars) return text
  const end = text.lastIndexOf('\n', mostChars - 2)
  return `${text.slice(0, Math.max(0, end))}\n…`
}

export function renderChanges(before: WorkbenchIndex, now: WorkbenchIndex, texts: WorkbenchTexts): string {
  const [old, current] = [entriesOf(before), entriesOf(now)]
  const lines: string[] = []
  for (const [path, entry] of current) {
    const former = old.get(path)
    if (former === undefined) lines.push(`${lineOf(entry)}, ${texts.added}`)
    else if (!isSame(former, entry)) {
      lines.push(`${lineOf(entry)}, ${texts.changed}`)
    }
  }
  // A full folder lists the newest only: what dropped out of the list need not be gone.
  const full = new Set(now.folders.filter(({ more }) => more > 0).map(({ path }) => path))
  for (const [path, entry] of old) {
    if (current.has(path) || [...full].some((folder) => path.startsWith(`${folder}/`))) continue
    lines.push(`- ${nameOf(entry.path)}, ${texts.removed}`)
  }
  return lines.join('\n')
}

/** Noting a use gives a file back its time, to the microsecond. */
const CLOCK_MS = 2

/** The same content, as far as size and time tell. */
export function isSame(
  one: Pick<IndexEntry, 'bytes' | 'modified'>,
  other: Pick<IndexEntry, 'bytes' | 'modified'>,
): boolean {
  return one.bytes === other.bytes && Math.abs(one.modified - other.modified) < CLOCK_MS
}

function entriesOf(index: WorkbenchIndex): Map<string, IndexEntry> {
  return new Map(index.folders.flatMap(({ entries }) => entries.map((entry) => [entry.path, entry] as const)))
}

function lineOf({ path, description, bytes }: IndexEntry): string {
  return `- ${nameOf(path)}${description === '' ? '' : ` — ${description}`} (${sizeOf(bytes)})`
}

/** A name in one line of code, whatever characters it has: control characters are written as escapes. */
export function nameOf(path: string): string {
  const visible = path.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/gu, (character) => {
    const short = { '\n': '\\n', '\r': '\\r', '\t': '\\t' }[character]
    return short ?? `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`
  })
  const longest = Math.max(0, ...(visible.match(/`+/g) ?? []).map((run) => run.length))
  const fence = '`'.repeat(longest + 1)
  const space = longest > 0 ? ' ' : ''
  return `${fence}${space}${visible}${space}${fence}`
}

/** 23B, 2.9K, 2.4M. */
function sizeOf(bytes: number): string {
  if (bytes < 1024) return `${bytes}B`
  const kilobytes = bytes / 1024
  return kilobytes < 1024 ? `${kilobytes.toFixed(1)}K` : `${(kilobytes / 1024).toFixed(1)}M`
}
