/** What recorded threads say of the workbench: results that were spilled at birth, scripts written and run. */
import { referencesIn } from '../../core/pointer.ts'
import { exchangesOf, type Transcript } from '../../core/transcript.ts'
import { textOf } from '../../formats/fields.ts'

export interface WorkbenchUse {
  /** Results, or parts of them, that went to disk; characters of texts and bytes of images. */
  readonly spills: { readonly count: number; readonly characters: number; readonly bytes: number }
  /** Different scripts, how often they were written, and how often run. */
  readonly scripts: { readonly scripts: number; readonly writes: number; readonly runs: number }
}

const SIZE = /, (?:[\dx]+, )?([\d,]+) (characters|bytes)\. Back: /
const SCRIPTS = /(?:^|\/)scripts\/([^/\s'"`;|&<>()]+)/g
const WRITERS: ReadonlySet<string> = new Set(['Write', 'Edit'])

/**
 * Takes one thread after the other and keeps only what it counts.
 * @param folder the workbench's own name in paths: its scripts are told from the project's by it
 */
export function workbenchUse(folder: string): { take(thread: Transcript): void; sums(): WorkbenchUse } {
  const spills = { count: 0, characters: 0, bytes: 0 }
  const written = new Map<string, number>()
  const ran = new Map<string, number>()
  const countOne = (counts: Map<string, number>, name: string): void => {
    counts.set(name, (counts.get(name) ?? 0) + 1)
  }
  return {
    take(thread) {
      for (const { call, result } of exchangesOf(thread)) {
        for (const part of result?.parts ?? []) if (part.type === 'text') countSpill(part.text, spills)
        for (const [, name] of (textOf(call.input.command) ?? '').matchAll(SCRIPTS)) countOne(ran, name ?? '')
        const path = textOf(call.input.file_path) ?? ''
        if (!WRITERS.has(call.tool) || !path.includes(`${folder}/scripts/`)) continue
        for (const [, name] of path.matchAll(SCRIPTS)) countOne(written, name ?? '')
      }
    },
    sums: () => ({
      spills,
      scripts: {
        scripts: written.size,
        writes: sum(written.values()),
        runs: sum([...written.keys()].map((name) => ran.get(name) ?? 0)),
      },
    }),
  }
}

function sum(counts: Iterable<number>): number {
  let total = 0
  for (const count of counts) total += count
  return total
}

function countSpill(text: string, sums: { count: number; characters: number; bytes: number }): void {
  // A reading tool puts a line number before the pointer.
  const first = text.slice(0, 500).split('\n')[0] ?? ''
  if (referencesIn(first).length === 0) return
  const [, size, unit] = SIZE.exec(first) ?? []
  if (size === undefined) return
  sums.count++
  sums[unit === 'bytes' ? 'bytes' : 'characters'] += Number(size.replaceAll(',', ''))
}
