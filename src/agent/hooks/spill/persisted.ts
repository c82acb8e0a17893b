/**
 * Outputs that Claude Code has put into a file of its own because they were too long: they are adopted, so that the
 * model gets one pointer and not one around the other.
 */
import { lstatSync, readFileSync, realpathSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { isRecord } from '../pre-tool-use.ts'

/** Longer ones stay with Claude Code: they would not fit into memory beside everything else. */
const MOST_BYTES = 64 * 1024 * 1024
/** How an MCP tool's answer says where it is. */
const SAVED_TO = /\bhas been saved to (\/\S+)/

export interface Adopted {
  /** The whole text. */
  readonly text: string
  /** The tool's answer with `text` in place of the persisted output. */
  readonly answer: (text: string) => unknown
}

/**
 * Only files in the session's own `tool-results` folder are read: an answer that merely names a path must not bring
 * that file into the conversation.
 */
export function adoptPersisted(response: unknown, transcript: string): Adopted | undefined {
  if (isRecord(response) && typeof response.persistedOutputPath === 'string' && response.isImage !== true) {
    const text = textIn(response.persistedOutputPath, transcript)
    if (text === undefined) return undefined
    const { persistedOutputPath: _, persistedOutputSize: __, ...rest } = response
    return { text, answer: (stdout) => ({ ...rest, stdout }) }
  }
  if (typeof response === 'string') {
    const path = SAVED_TO.exec(response.slice(0, 2000))?.[1]?.replace(/[.,;]+$/, '')
    const text = path === undefined ? undefined : textIn(path, transcript)
    return text === undefined ? undefined : { text, answer: (kept) => kept }
  }
  return undefined
}

function textIn(path: string, transcript: string): string | undefined {
  try {
    const folder = realpathSync(join(transcript.replace(/\.jsonl$/, ''), 'tool-results'))
    const state = lstatSync(path)
    if (!state.isFile() || state.size > MOST_BYTES || realpathSync(dirname(path)) !== folder) return undefined
    return readFileSync(path, 'utf8')
  } catch {
    // Moved or gone: what Claude Code says about it stays as it is.
    return undefined
  }
}
