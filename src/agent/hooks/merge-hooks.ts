/**
 * Several hooks as one. The binary runs the hooks of an event in parallel, gives each the original, and the last to
 * finish wins: two that change the same call or the same answer would undo each other. Merged, the hooks around a tool
 * run in the order given, each on what the one before left, so that there is one writer; a refusal ends the row.
 */
import type { HookCallbackMatcher, HookInput, HookJSONOutput } from '@anthropic-ai/claude-agent-sdk'
import { type Hooks, isRecord } from './pre-tool-use.ts'

/** Events whose hooks change what the next one must see. */
const IN_A_ROW = ['PreToolUse', 'PostToolUse'] as const
/** Seconds: the longest that a hook of a row asked for, or the binary's own default. */
const DEFAULT_TIMEOUT = 60

export function mergeHooks(...all: readonly (Hooks | undefined)[]): Hooks {
  const merged: Hooks = {}
  for (const hooks of all) {
    for (const [event, matchers] of Object.entries(hooks ?? {}) as [keyof Hooks, HookCallbackMatcher[]][]) {
      merged[event] = [...(merged[event] ?? []), ...matchers]
    }
  }
  for (const event of IN_A_ROW) {
    const matchers = merged[event]
    if (matchers !== undefined && matchers.length > 1) merged[event] = [row(matchers)]
  }
  return merged
}

function row(matchers: readonly HookCallbackMatcher[]): HookCallbackMatcher {
  const patterns = matchers.map(({ matcher }) => matcher)
  const everyTool = patterns.some((pattern) => pattern === undefined || pattern === '' || pattern === '*')
  const timeouts = matchers.flatMap(({ timeout }) => timeout ?? [])
  return {
    // A tool that no hook asked about need not come here at all.
    ...(everyTool ? {} : { matcher: `^(?:${patterns.map((pattern) => `(?:${anchored(pattern ?? '')})`).join('|')})$` }),
    ...(timeouts.length > 0 ? { timeout: Math.max(DEFAULT_TIMEOUT, ...timeouts) } : {}),
    ...(matchers.some(({ onFailure }) => onFailure === 'block') ? { onFailure: 'block' } : {}),
    hooks: [
      async (input, callId, options) => {
        let outcome: HookJSONOutput = {}
        let current: HookInput = input
        for (const { matcher, hooks, onFailure } of matchers) {
          if (!('tool_name' in input) || !matches(matcher, String(input.tool_name))) continue
          for (const hook of hooks) {
            let answer: HookJSONOutput
            try {
              answer = await hook(current, callId, options)
            } catch (error) {
              if (onFailure === 'block') throw error
              // The next one may be a guard: it must not stay silent because of this one.
              answer = { systemMessage: `a ${input.hook_event_name} hook failed: ${String(error)}` }
            }
            // It goes on by itself and decides nothing.
            if ('async' in answer && answer.async) continue
            outcome = joined(outcome, answer)
            if (isRefusal(answer)) return outcome
            current = carriedOn(current, answer)
          }
        }
        return outcome
      },
    ],
  }
}

/** As the binary reads a matcher: plain names joined by `|` are exact, everything else is a regular expression. */
function matches(matcher: string | undefined, tool: string): boolean {
  if (matcher === undefined || matcher === '' || matcher === '*') return true
  return isPlain(matcher) ? matcher.split('|').includes(tool) : new RegExp(matcher).test(tool)
}

function isPlain(matcher: string): boolean {
  return /^[\w|]+$/.test(matcher)
}

function anchored(matcher: string): string {
  return isPlain(matcher) ? matcher : `.*(?:${matcher}).*`
}

type Specific = Readonly<Record<string, unknown>>

function specificOf(answer: HookJSONOutput): Specific {
  const specific = 'hookSpecificOutput' in answer ? answer.hookSpecificOutput : undefined
  return isRecord(specific) ? specific : {}
}

/** A later hook may be stricter than an earlier one, never laxer. */
const STRICTNESS = ['allow', 'defer', 'ask', 'deny']

function stricter(before: Specific, after: Specific): Specific {
  const [one, other] = [before, after].map(({ permissionDecision: decision }) => STRICTNESS.indexOf(String(decision)))
  if (one === undefined || other === undefined || one <= other) return {}
  return {
    permissionDecision: before.permissionDecision,
    ...('permissionDecisionReason' in before ? { permissionDecisionReason: before.permissionDecisionReason } : {}),
  }
}

/** The later answer wins, field by field; notes for the model are all kept. */
function joined(earlier: HookJSONOutput, later: HookJSONOutput): HookJSONOutput {
  const [before, after] = [specificOf(earlier), specificOf(later)]
  const notes = [before.additionalContext, after.additionalContext].filter((note) => typeof note === 'string')
  const note = notes.length > 0 ? { additionalContext: notes.join('\n\n') } : {}
  const specific = { ...before, ...after, ...stricter(before, after), ...note }
  const joint = { ...earlier, ...later } as Record<string, unknown>
  if (Object.keys(specific).length > 0) joint.hookSpecificOutput = specific
  return joint as HookJSONOutput
}

function isRefusal(answer: HookJSONOutput): boolean {
  return specificOf(answer).permissionDecision === 'deny' || ('decision' in answer && answer.decision === 'block')
}

/** What the next hook sees. */
function carriedOn(input: HookInput, answer: HookJSONOutput): HookInput {
  const { updatedInput, updatedToolOutput, updatedMCPToolOutput } = specificOf(answer)
  const output = updatedToolOutput ?? updatedMCPToolOutput
  return {
    ...input,
    ...(updatedInput === undefined ? {} : { tool_input: updatedInput }),
    ...(output === undefined ? {} : { tool_response: output }),
  } as HookInput
}
