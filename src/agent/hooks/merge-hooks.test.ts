import type { HookCallback } from '@anthropic-ai/claude-agent-sdk'
import { describe, expect, it } from 'vitest'
import { askHooks, denialOf, replacedBy } from '../../../test/support/hook-calls.ts'
import { mergeHooks } from './merge-hooks.ts'
import type { Hooks } from './pre-tool-use.ts'

const appends = (name: string, delay = 0, matcher?: string): Hooks => {
  const hook: HookCallback = async (input) => {
    await new Promise((done) => setTimeout(done, delay))
    const { tool_response } = input as { tool_response: string }
    const updatedToolOutput = `${tool_response}+${name}`
    return { hookSpecificOutput: { hookEventName: 'PostToolUse', updatedToolOutput, additionalContext: name } }
  }
  return { PostToolUse: [{ ...(matcher === undefined ? {} : { matcher }), hooks: [hook] }] }
}
const decides = (answer: Record<string, unknown>): Hooks => ({
  PreToolUse: [{ hooks: [async () => ({ hookSpecificOutput: { hookEventName: 'PreToolUse', ...answer } })] }],
})
const failing: HookCallback = async () => {
  throw new Error('broken')
}

describe('mergeHooks', () => {
  it('lets one write after the other, whoever is slower, and keeps every note', async () => {
    const merged = mergeHooks(appends('slow', 20), appends('fast'))
    expect(merged.PostToolUse).toHaveLength(1)
    expect(await askHooks(merged, 'PostToolUse', { tool: 'Bash', response: 'x' })).toEqual([
      { hookEventName: 'PostToolUse', updatedToolOutput: 'x+slow+fast', additionalContext: 'slow\n\nfast' },
    ])
  })

  it('joins changes to one call and ends at a refusal', async () => {
    const merged = mergeHooks(
      {
        PreToolUse: [
          {
            hooks: [
              async (input) => ({
                hookSpecificOutput: {
                  hookEventName: 'PreToolUse',
                  updatedInput: { ...(input as { tool_input: object }).tool_input, one: 1 },
                },
              }),
            ],
          },
        ],
      },
      {
        PreToolUse: [
          {
            hooks: [
              async (input) => ({
                hookSpecificOutput: {
                  hookEventName: 'PreToolUse',
                  updatedInput: { ...(input as { tool_input: object }).tool_input, two: 2 },
                },
              }),
            ],
          },
        ],
      },
    )
    expect(await askHooks(merged, 'PreToolUse', { tool: 'Agent', input: { zero: 0 } })).toMatchObject([
      { updatedInput: { zero: 0, one: 1, two: 2 } },
    ])
    const refused = mergeHooks(
      decides({ permissionDecision: 'deny', permissionDecisionReason: 'no' }),
      decides({ permissionDecision: 'allow' }),
    )
    expect(await denialOf(refused, { tool: 'Bash' })).toBe('no')
  })

  it('lets no later hook take a question back, nor one that goes on by itself take a refusal', async () => {
    const asks = decides({ permissionDecision: 'ask', permissionDecisionReason: 'sure?' })
    const allows = decides({ permissionDecision: 'allow', permissionDecisionReason: 'fine' })
    const merged = (...all: Hooks[]) => askHooks(mergeHooks(...all), 'PreToolUse', { tool: 'Bash' })
    expect(await merged(asks, allows)).toMatchObject([{ permissionDecision: 'ask', permissionDecisionReason: 'sure?' }])
    expect(await merged(allows, asks)).toMatchObject([{ permissionDecision: 'ask', permissionDecisionReason: 'sure?' }])
    expect(await merged(allows, decides({}))).toMatchObject([{ permissionDecision: 'allow' }])
    const leaves: Hooks = { PreToolUse: [{ hooks: [async () => ({ async: true })] }] }
    const both = mergeHooks(leaves, decides({ permissionDecision: 'deny', permissionDecisionReason: 'no' }))
    const answer = await both.PreToolUse?.[0]?.hooks[0]?.({ tool_name: 'Bash' } as never, 'a', {
      signal: new AbortController().signal,
    })
    expect(answer).toMatchObject({ hookSpecificOutput: { permissionDecision: 'deny' } })
    expect(answer).not.toHaveProperty('async')
  })

  it('asks each hook only about its own tools', async () => {
    const merged = mergeHooks(appends('bash', 0, 'Bash|Read'), appends('mcp', 0, '^(mcp__.*)$'))
    expect(await replacedBy(merged, { tool: 'Bash', response: 'x' })).toBe('x+bash')
    expect(await replacedBy(merged, { tool: 'mcp__a__b', response: 'x' })).toBe('x+mcp')
    expect(await replacedBy(merged, { tool: 'BashOutput', response: 'x' })).toBeUndefined()
    expect(
      await replacedBy(mergeHooks(appends('all'), appends('bash', 0, 'Bash')), { tool: 'Glob', response: 'x' }),
    ).toBe('x+all')
  })

  it('does not let one that fails silence the guard behind it', async () => {
    const guard = decides({ permissionDecision: 'deny', permissionDecisionReason: 'no' })
    expect(await denialOf(mergeHooks({ PreToolUse: [{ hooks: [failing] }] }, guard), { tool: 'Bash' })).toBe('no')
    const blocking = mergeHooks({ PreToolUse: [{ onFailure: 'block', hooks: [failing] }] }, decides({}))
    expect(blocking.PreToolUse?.[0]?.onFailure).toBe('block')
    await expect(denialOf(blocking, { tool: 'Bash' })).rejects.toThrow('broken')
  })

  it('keeps other events and the longest time', () => {
    const stop = { Stop: [{ hooks: [failing] }] }
    const merged = mergeHooks(stop, undefined, stop, {
      PreToolUse: [{ timeout: 300, hooks: [failing] }, { hooks: [failing] }],
    })
    expect(merged.Stop).toHaveLength(2)
    expect(merged.PreToolUse?.[0]?.timeout).toBe(300)
  })
})
