/** What a Runtime and one run of it take and give. */
import type { PresetName } from '../../planning/presets.ts'
import type { OnRunEvent } from '../events/events.ts'
import type { Hooks } from '../hooks/pre-tool-use.ts'
import type { SpillGuardOptions } from '../hooks/spill-guard.ts'
import { type BackoffOptions, DEFAULT_BACKOFF } from '../resilience/backoff.ts'
import type { ErrorClass } from '../resilience/classify-error.ts'
import { DEFAULT_PROBE, type ProbeOptions } from '../resilience/endpoint.ts'
import type { Timing } from '../resilience/timing.ts'
import type { RuntimeTexts } from './texts.ts'

export type ResilienceOptions = BackoffOptions & ProbeOptions
export const DEFAULT_RESILIENCE: ResilienceOptions = { ...DEFAULT_BACKOFF, ...DEFAULT_PROBE }

export const RUN_FOLDER = 'run'

export interface RuntimeOptions {
  /** The folder the agents work in. */
  readonly workspace: string
  /** A workbench in `<workspace>/.spillway`, or in the named folder (outside the repository where workers are isolated). Default false. */
  readonly workbench?: boolean | string
  /** Where sessions.db, manifest.json and lineage.json are. Default `<workspace>/.spillway/run`. */
  readonly runDirectory?: string
  /** Rules of the economy. Default `default`. */
  readonly preset?: PresetName
  /** Characters from which a result is spilled; 0 or null: nothing is. Default 4,000 (and 40,000 for Read). */
  readonly spillThreshold?: number | null
  /** Further limits and texts of the spill. */
  readonly spill?: Omit<SpillGuardOptions, 'archive' | 'threshold' | 'onEvent'>
  /** The binary's own compaction, at its own threshold. Default false: the economy keeps the budget. */
  readonly nativeCompaction?: boolean
  /** Host settings (CLAUDE.md, settings.json, user agents) are not read. Default true. */
  readonly portable?: boolean
  /** Folders of Claude Code plugins. */
  readonly plugins?: readonly string[]
  /** Workers may run in the background. Default false: a turn ends when its workers have reported. */
  readonly background?: boolean
  /** MCP servers, as the SDK takes them. */
  readonly mcpServers?: Readonly<Record<string, unknown>>
  /** Further tools that do hands-on work and belong to workers (MCP tools that write). */
  readonly handsOn?: readonly string[]
  /** Further hooks: they run behind the guards and before a result is spilled. */
  readonly hooks?: Hooks
  /** Tries after an error; false: the first error is final. */
  readonly resilience?: Partial<ResilienceOptions> | false
  /** The whole environment of the binary. Default `process.env`, with the credentials of `spillway setup`. */
  readonly environment?: Readonly<Record<string, string | undefined>>
  readonly texts?: Partial<RuntimeTexts>
  /** Hears of everything in every run. */
  readonly onEvent?: OnRunEvent
  /** Clock, waiting and chance. */
  readonly timing?: Timing
}

export interface StepOptions {
  /** Default: the agent's name. */
  readonly stepName?: string
  /** Go on with this session. */
  readonly resume?: string
  /** Go on with a copy of it, under a new id. */
  readonly fork?: boolean
  /** Go on behind this entry (a uuid of the session) and leave out what came after. */
  readonly resumeAt?: string
  readonly onEvent?: OnRunEvent
  /** Ends the step at once; what is done stays, and the session can be resumed. */
  readonly signal?: AbortSignal
}

export interface StepError {
  readonly class: ErrorClass | 'aborted'
  readonly text: string
  readonly status?: number
}

export interface StepResult {
  /** The newest session of the step. */
  readonly sessionId: string
  readonly ok: boolean
  /** USD of this step, as the binary estimates it. */
  readonly cost: number
  /** Requests of the main thread. */
  readonly turns: number
  /** All prose of the main thread. */
  readonly text: string
  /** Its prose since the last call: the answer. */
  readonly answer: string
  /** Why it is not ok. */
  readonly error: StepError | undefined
  /** Tries, the successful one included. */
  readonly attempts: number
  /** Every error on the way. */
  readonly errors: readonly StepError[]
  /** It went on with an earlier session. */
  readonly resumed: boolean
  /** Sessions of this step that others have followed, oldest first. */
  readonly retired: readonly string[]
  /** Tokens of the main thread's last prompt. */
  readonly context: number
}
