/** The formats of recorded sessions; the first that detects a file's entries as its own reads it. */
import { claudeCode } from './claude-code/index.ts'
import type { Format } from './format.ts'
import { pi } from './pi/index.ts'

export const FORMATS: readonly Format[] = [claudeCode, pi]
