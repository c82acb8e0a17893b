/**
 * Spill at birth (F4): an oversized result goes to disk before the model sees it; a pointer, its beginning and its end
 * stay. The binary keeps no original once a hook has replaced it, so the content is on disk before the hook answers.
 * When anything fails, the original passes.
 */
import { basename, dirname } from 'node:path'
import type { HookJSONOutput, PostToolUseFailureHookInput, PostToolUseHookInput } from '@anthropic-ai/claude-agent-sdk'
import { type Archive, spillFolder, storeSource } from '../../archive/index.ts'
import { countOf, pointerTo } from '../../core/pointer.ts'
import { referenceOf } from '../../core/reference.ts'
import { targetOf } from '../../core/removed.ts'
import type { JsonObject } from '../../core/transcript.ts'
import { type OnHookEvent, reasonOf, tell } from './hook-event.ts'
import { type Hooks, isRecord, preToolUse } from './pre-tool-use.ts'
import { SPILL_PRESETS, type SpillLimits, type SpillPreset } from './spill/limits.ts'
import { adoptPersisted } from './spill/persisted.ts'
import { characterCount } from './spill/preview.ts'
import { isReadBack } from './spill/read-back.ts'
import { inPlaceOf, type Keep, type SpillFrame, spillAnswer } from './spill/spill-answer.ts'
import { SPILL_TEXTS, type SpillTexts } from './spill/texts.ts'
import { unwrapped, wrapped } from './spill/wrapped-command.ts'
import { isListed } from './tool-names.ts'

export interface SpillGuardOptions extends Partial<SpillLimits> {
  /** Where the originals go; agents must be able to read its folder. */
  readonly archive: Pick<Archive, 'folder' | 'keep'>
  /** Default `default`; single limits given beside it win. */
  readonly preset?: SpillPreset
  /**
   * The session is kept in a session store, which outlives its file: `gc` must not go by the file. Default false; a
   * session that was resumed from a store is known by itself.
   */
  readonly stored?: boolean
  /** Leave subagents alone. Default false. */
  readonly mainOnly?: boolean
  /**
   * Run Bash commands so that a failing one ends well and names its exit code: then its output can be spilled too.
   * Default false, for the binary then judges permissions by the wrapped text: only where Bash is allowed as a whole.
   */
  readonly wrapFailures?: boolean
  readonly texts?: Partial<SpillTexts>
  readonly onEvent?: OnHookEvent
}

type ToolHook = PostToolUseHookInput | PostToolUseFailureHookInput

export function spillGuard(options: SpillGuardOptions): Hooks {
  const { archive, preset = 'default', mainOnly = false, wrapFailures = false, onEvent } = options
  const limits = { ...SPILL_PRESETS[preset], ...given(options) }
  const texts = { ...SPILL_TEXTS, ...options.texts }
  const { threshold, tools } = limits
  if (threshold === null || threshold <= 0) return {}

  const looksAt = (hook: ToolHook): boolean => isListed(hook.tool_name, tools) && !(mainOnly && hook.agent_id)

  const replaced = (hook: PostToolUseHookInput): HookJSONOutput => {
    const input = inputOf(hook)
    const frame: SpillFrame = {
      limits,
      threshold: hook.tool_name === 'Read' ? limits.readThreshold : threshold,
      texts,
      keep: keeper(hook, input, options),
      filePath: typeof input.file_path === 'string' ? input.file_path : '',
    }
    const adopted = adoptPersisted(hook.tool_response, hook.transcript_path)
    if (!adopted && !mayReach(hook.tool_response, leastOf(frame))) return {}
    const chars = adopted ? adopted.text.length : lengthOf(hook.tool_response)
    const call = { tool: hook.tool_name, input, cwd: hook.cwd, chars }
    if (isReadBack(call, spillFolder(archive.folder))) return {}
    if (adopted) {
      const pointer = frame.keep(adopted.text, 'text/plain', { size: characterCount(adopted.text) })
      return answered(adopted.answer(inPlaceOf(adopted.text, pointer, frame)))
    }
    const answer = spillAnswer(hook.tool_response, frame)
    return answer === undefined ? {} : answered(answer)
  }

  const noted = (hook: PostToolUseFailureHookInput): HookJSONOutput => {
    if (hook.is_interrupt === true || characterCount(hook.error) < threshold) return {}
    const pointer = keeper(hook, inputOf(hook), options)(hook.error, 'text/plain', { size: characterCount(hook.error) })
    return {
      hookSpecificOutput: { hookEventName: 'PostToolUseFailure', additionalContext: texts.failure(pointer) },
    }
  }

  const matcher = `^(${tools.map((tool) => tool.replace(/\*$/, '.*')).join('|')})$`
  const wrapper = wrapFailures
    ? preToolUse({ guard: 'spill wrapper', matcher: 'Bash', onEvent }, ({ input, agentId }) => {
        const { command } = input
        if (typeof command !== 'string' || input.run_in_background === true || (mainOnly && agentId)) return undefined
        return { input: { ...input, command: wrapped(command, texts.exitCode) } }
      })
    : {}
  return {
    ...wrapper,
    PostToolUse: [{ matcher, hooks: [open(replaced, looksAt, onEvent)] }],
    PostToolUseFailure: [{ matcher, hooks: [open(noted, looksAt, onEvent)] }],
  }
}

/** A hook that lets the original pass when it fails, and says so. */
function open<Hook extends ToolHook>(
  work: (hook: Hook) => HookJSONOutput,
  looksAt: (hook: ToolHook) => boolean,
  onEvent: OnHookEvent | undefined,
): (input: unknown) => Promise<HookJSONOutput> {
  return async (input) => {
    const hook = (isRecord(input) ? input : {}) as Hook
    try {
      return looksAt(hook) ? work(hook) : {}
    } catch (error) {
      tell(onEvent, {
        type: 'hook-failed',
        hook: 'spill guard',
        tool: hook.tool_name,
        callId: hook.tool_use_id,
        reason: `the original passes: ${reasonOf(error)}`,
      })
      return {}
    }
  }
}

function answered(updatedToolOutput: unknown): HookJSONOutput {
  return { hookSpecificOutput: { hookEventName: 'PostToolUse', updatedToolOutput } }
}

/** Keeps a piece of this call's answer and gives the pointer to it. */
function keeper(hook: ToolHook, input: Readonly<Record<string, unknown>>, options: SpillGuardOptions): Keep {
  const { archive, onEvent } = options
  const { tool_name: tool, tool_use_id: callId, agent_id: agentId } = hook
  const target = targetOf({ input: input as JsonObject })
  return (content, mediaType, { kind, size, pixels }) => {
    const ref = referenceOf(content)
    const path = archive.keep({
      session: hook.session_id,
      source: sourceOf(hook, options.stored ?? false),
      time: Date.now(),
      removed: {
        ref,
        content,
        mediaType,
        class: tool === 'Read' ? 'rerunnable' : 'restorable',
        tool,
        ...(target === undefined ? {} : { target }),
        rule: 'spill',
        at: { thread: agentId ?? 'main', entry: 0 },
      },
      onProblem: (error) =>
        tell(onEvent, {
          type: 'hook-failed',
          hook: 'archive',
          tool,
          callId,
          reason: `${path} is kept, the archive will take it in later: ${reasonOf(error)}`,
        }),
    })
    const unit = typeof content === 'string' ? 'characters' : 'bytes'
    const pointer = pointerTo({
      ref,
      tool: kind === undefined ? tool : `${tool} ${kind}`,
      ...(target === undefined ? {} : { target }),
      size: [typeof content === 'string' ? undefined : mediaType, pixels, countOf(size, unit)]
        .filter(Boolean)
        .join(', '),
      path,
    })
    tell(onEvent, { type: 'result-spilled', ref, tool, callId, size, unit, path, ...(agentId ? { agentId } : {}) })
    return pointer
  }
}

/** Where the binary has the transcript of a session that it resumed from a store; it is gone with the process. */
const RESUMED = /\/claude-resume-[^/]+\/projects\//

function sourceOf({ transcript_path: path, session_id: session }: ToolHook, stored: boolean): string {
  return stored || RESUMED.test(path) ? storeSource(basename(dirname(path)), session) : path
}

function inputOf(hook: ToolHook): Readonly<Record<string, unknown>> {
  const input = isRecord(hook.tool_input) ? hook.tool_input : {}
  return typeof input.command === 'string' ? { ...input, command: unwrapped(input.command) } : input
}

/** The least length at which anything of an answer could have to leave. */
function leastOf({ threshold, limits }: SpillFrame): number {
  // Media are counted as they come, in base64.
  return Math.min(threshold, limits.mediaBytes ?? Number.POSITIVE_INFINITY)
}

/** Most answers are short: they pass after one look, nothing is copied. */
function mayReach(answer: unknown, least: number): boolean {
  return lengthOf(answer, least) >= least
}

/** UTF-16 units of all texts in an answer, counted until `enough`. */
function lengthOf(value: unknown, enough: number = Number.POSITIVE_INFINITY): number {
  if (typeof value === 'string') return value.length
  if (typeof value !== 'object' || value === null) return 0
  let length = 0
  for (const key in value) {
    length += lengthOf((value as Record<string, unknown>)[key], enough)
    if (length >= enough) break
  }
  return length
}

/** The limits that were given beside the preset. */
function given(options: SpillGuardOptions): Partial<SpillLimits> {
  const names = ['threshold', 'readThreshold', 'mediaBytes', 'previewHead', 'previewTail', 'tools', 'whole'] as const
  return Object.fromEntries(names.flatMap((name) => (options[name] === undefined ? [] : [[name, options[name]]])))
}
