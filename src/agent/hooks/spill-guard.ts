/** Spill at birth (F4). */
import type { Archive } from '../../archive/index.ts'
import type { OnHookEvent } from './hook-event.ts'
import type { Hooks } from './pre-tool-use.ts'

/** From this many characters on, a result of Bash, Grep, Glob, WebFetch, WebSearch or an MCP tool is spilled. */
export const DEFAULT_SPILL_CHARS = 4000
/** The same for Read: what was read is used at once. */
export const DEFAULT_READ_SPILL_CHARS = 40_000

export interface SpillGuardOptions {
  /** Where the originals go; its folder also gets the readable copies. */
  readonly archive: Pick<Archive, 'folder' | 'put' | 'spill'>
  readonly threshold?: number
  readonly readThreshold?: number
  readonly onEvent?: OnHookEvent
}

export function spillGuard(_options: SpillGuardOptions): Hooks {
  return {}
}
