/** Small ways to fill an archive in tests. */
import { createHash } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import type { UndoInput, UndoSplice } from '../../src/archive/index.ts'
import type { Removed } from '../../src/core/edits.ts'
import { referenceOf } from '../../src/core/reference.ts'

/** A fresh folder that is gone after the test. */
export function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'spillway-test-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

/** A removed piece of content; name only what the test is about. */
export function removed(content: string | Uint8Array, facts: Partial<Removed> = {}): Removed {
  return {
    ref: referenceOf(content),
    content,
    mediaType: typeof content === 'string' ? 'text/plain' : 'image/png',
    class: 'restorable',
    tool: 'Read',
    target: '/src/file.ts',
    rule: 'results',
    at: { thread: 'main', entry: 0 },
    ...facts,
  }
}

/** The undo record of a compaction that made `output` of `input`. */
export function undoInput(file: string, input: Buffer, output: Buffer, splices: Iterable<UndoSplice>): UndoInput {
  const digest = (bytes: Buffer) => ({ bytes: bytes.length, sha256: createHash('sha256').update(bytes).digest() })
  return { source: file, output: file, before: digest(input), after: digest(output), splices }
}
