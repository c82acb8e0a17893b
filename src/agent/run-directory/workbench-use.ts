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
const SCRIPT = /(?:^|\/)scripts\/([^/\s'"`;|&<>()]+)/
const WRITERS: ReadonlySet<string> = new Set(['Write', 'Edit'])

/** @param folder the workbench's own name in paths: its scripts are told from the project's by it */
export function workbenchUse(threads: readonly Transcript[], folder: string): WorkbenchUse {
  const spills = { count: 0, characters: 0, bytes: 0 }
  const written = new Map<string, number>()
  const commands: string[] = []
  for (const thread of threads) {
    for (const { call, result } of exchangesOf(thread)) {
      for (const part of result?.parts ?? []) if (part.type === 'text') countSpill(part.text, spills)
      const command = textOf(call.input.command)
      if (command !== undefined) commands.push(command)
      const path = textOf(call.input.file_path) ?? ''
      if (!WRITERS.has(call.tool) || !path.includes(`${folder}/scripts/`)) continue
      const name = SCRIPT.exec(path)?.[1]
      if (name !== undefined) written.set(name, (written.get(name) ?? 0) + 1)
    }
  }
  const runs = commands.flatMap((command) => [...command.matchAll(new RegExp(SCRIPT, 'g'))])
  return {
    spills,
    scripts: {
      scripts: written.size,
      writes: [...written.values()].reduce((sum, count) => sum + count, 0),
      runs: runs.filter(([, name]) => name !== undefined && written.has(name)).length,
    },
  }
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
