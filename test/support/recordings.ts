/** Recorded sessions as replays need them: every call across compactions, with texts. */
import { readFileSync } from 'node:fs'
import { basename } from 'node:path'
import { gunzipSync } from 'node:zlib'
import type { Session } from '../../src/formats/format.ts'
import { lineSplitter } from '../../src/formats/lines.ts'
import { type Recording, recordingOf } from '../../src/replay/index.ts'
import { formatOf } from './session-bytes.ts'

export function historyOf(file: string): Session {
  const raw = readFileSync(file)
  const bytes = file.endsWith('.gz') ? gunzipSync(raw) : raw
  const reader = formatOf(bytes).reader({ reading: 'history', fileName: file })
  const splitter = lineSplitter()
  for (const line of [...splitter.push(bytes), ...splitter.finish()]) reader.push(line)
  return reader.finish()
}

export function recordingIn(file: string): Recording {
  return recordingOf(historyOf(file).main, basename(file))
}

/** The first `calls` calls of a recording. */
export function beginningOf(recording: Recording, calls: number): Recording {
  return { ...recording, calls: recording.calls.slice(0, calls) }
}
