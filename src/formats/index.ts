/** The formats of recorded sessions; the first that detects a file's entries as its own reads it. */
import { claudeCode } from './claude-code/index.ts'
import { codex } from './codex/index.ts'
import type { Format } from './format.ts'
import { pi } from './pi/index.ts'

export const FORMATS: readonly Format[] = [claudeCode, pi, codex]

/** The format that reads the sessions of a harness: OpenClaw's JSONL is pi's. */
export function formatNamed(harness: string): Format {
  return FORMATS.find((format) => format.name === harness) ?? pi
}
