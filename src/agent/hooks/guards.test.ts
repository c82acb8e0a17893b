import { describe, expect, it } from 'vitest'
import { askHooks, denialOf } from '../../../test/support/hook-calls.ts'
import { agentSpec } from '../roles/agent-spec.ts'
import { coordinator, worker } from '../roles/coordinator.ts'
import { roleGuards } from '../roles/role-guards.ts'
import { delegateGuard } from './delegate-guard.ts'
import { foregroundGuard } from './foreground-guard.ts'
import type { HookEvent } from './hook-event.ts'
import { isolateGuard } from './isolate-guard.ts'
import { whitelistGuard } from './whitelist-guard.ts'

const bash = (command: string) => ({ tool: 'Bash', input: { command } })

describe('delegateGuard', () => {
  it.each(['Write', 'Edit', 'MultiEdit', 'NotebookEdit', 'PowerShell', 'Monitor'])(
    'denies %s on the main thread',
    async (tool) => {
      expect(await denialOf(delegateGuard(), { tool })).toMatch(new RegExp(`^${tool} is for workers`))
      expect(await denialOf(delegateGuard(), { tool, agentId: 'a1' })).toBeUndefined()
    },
  )

  it('lets glances pass and nothing else that a shell can do', async () => {
    const guard = delegateGuard()
    expect(await denialOf(guard, bash('git status -s && git log --oneline -3'))).toBeUndefined()
    expect(await denialOf(guard, bash('git status && rm -rf build'))).toMatch(/No glance: .*rm/)
    expect(await denialOf(guard, bash('ls\nrm -rf build'))).toMatch(/No glance/)
    expect(await denialOf(guard, { tool: 'Bash', input: {} })).toBeDefined()
    expect(await denialOf(guard, { tool: 'Bash', input: 'ls' })).toBeDefined()
    expect(await denialOf(delegateGuard({ glance: false }), bash('ls'))).toMatch(/for workers/)
    expect(await denialOf(guard, { ...bash('rm -rf build'), agentId: 'a1' })).toBeUndefined()
  })

  it('leaves other tools alone, and takes further ones', async () => {
    const guard = delegateGuard({ handsOn: ['mcp__files__write', 'mcp__shell__*'] })
    for (const tool of ['Agent', 'Read', 'TaskCreate', 'mcp__files__read', 'mcp__shells__run']) {
      expect([tool, await denialOf(guard, { tool })]).toEqual([tool, undefined])
    }
    for (const tool of ['mcp__files__write', 'mcp__shell__run']) {
      expect(await denialOf(guard, { tool })).toMatch(/for workers/)
    }
  })

  it('takes a subagent without an id for the main thread', async () => {
    expect(await denialOf(delegateGuard(), { tool: 'Write', agentId: '' })).toBeDefined()
  })

  it('guards coordinators below the coordinator', async () => {
    const guard = delegateGuard({ delegating: ['lead'] })
    expect(await denialOf(guard, { tool: 'Write', agentId: 'a1', agentType: 'lead' })).toBeDefined()
    expect(await denialOf(guard, { ...bash('ls'), agentId: 'a1', agentType: 'lead' })).toBeUndefined()
    expect(await denialOf(guard, { tool: 'Write', agentId: 'a2', agentType: 'hand' })).toBeUndefined()
  })

  it('shows the way, with a workbench and without', async () => {
    expect(await denialOf(delegateGuard({ workbench: '/w/.spillway' }), { tool: 'Write' })).toContain(
      '/w/.spillway/artifacts/',
    )
    expect(await denialOf(delegateGuard(), { tool: 'Write' })).not.toContain('artifacts')
    const texts = { delegate: (tool: string) => `${tool}: 派人去做` }
    expect(await denialOf(delegateGuard({ texts }), { tool: 'Write' })).toBe('Write: 派人去做')
  })

  it('tells who watches', async () => {
    const events: HookEvent[] = []
    await denialOf(delegateGuard({ onEvent: (event) => events.push(event) }), { tool: 'Write' })
    expect(events).toMatchObject([{ type: 'call-denied', guard: 'delegate guard', tool: 'Write', callId: 'toolu_1' }])
  })

  it('denies when it fails itself', async () => {
    const events: HookEvent[] = []
    const texts = {
      delegate: () => {
        throw new Error('no text')
      },
    }
    const guard = delegateGuard({ texts, onEvent: (event) => events.push(event) })
    expect(await denialOf(guard, { tool: 'Write' })).toContain('delegate guard failed: no text')
    expect(events).toMatchObject([{ type: 'hook-failed', hook: 'delegate guard', tool: 'Write' }])
  })

  it('denies even when the watcher fails', async () => {
    const guard = delegateGuard({
      onEvent: () => {
        throw new Error('watcher')
      },
    })
    expect(await denialOf(guard, { tool: 'Write' })).toBeDefined()
  })
})

describe('whitelistGuard', () => {
  it('denies hands-on tools that the role was not given, on its main thread', async () => {
    const guard = whitelistGuard({ tools: ['Read', 'Bash'], handsOn: ['mcp__files__*'] })
    expect(await denialOf(guard, { tool: 'Write' })).toMatch(/this is intended/)
    expect(await denialOf(guard, { tool: 'mcp__files__write' })).toMatch(/this is intended/)
    expect(await denialOf(guard, { tool: 'Bash' })).toBeUndefined()
    expect(await denialOf(guard, { tool: 'Grep' })).toBeUndefined()
    expect(await denialOf(guard, { tool: 'Write', agentId: 'a1' })).toBeUndefined()
  })
})

describe('guards of Agent calls', () => {
  const agent = (input: Record<string, unknown>) => ({
    tool: 'Agent',
    input: { description: 'd', prompt: 'p', ...input },
  })
  const changed = async (hooks: Parameters<typeof askHooks>[0], input: Record<string, unknown>) =>
    (await askHooks(hooks, 'PreToolUse', agent(input)))[0]?.updatedInput

  it('gives a worktree to roles that are isolated and say nothing themselves', async () => {
    const guard = isolateGuard({ roles: ['builder'] })
    expect(await changed(guard, { subagent_type: 'builder' })).toMatchObject({ isolation: 'worktree', prompt: 'p' })
    expect(await changed(guard, { subagent_type: 'reader' })).toBeUndefined()
    expect(await changed(guard, { subagent_type: 'builder', cwd: '/x' })).toBeUndefined()
    expect(await changed(guard, { subagent_type: 'builder', isolation: 'remote' })).toBeUndefined()
    expect(await changed(guard, {})).toBeUndefined()
  })

  it('brings workers to the foreground', async () => {
    expect(await changed(foregroundGuard(), {})).toMatchObject({ run_in_background: false })
    expect(await changed(foregroundGuard(), { run_in_background: true })).toMatchObject({ run_in_background: false })
    expect(await changed(foregroundGuard(), { run_in_background: false })).toBeUndefined()
  })
})

describe('roleGuards', () => {
  const hand = worker('does', 'do', { isolate: true })

  it('guards a coordinator, and changes an Agent call once with all that is needed', async () => {
    const guards = roleGuards(coordinator('主控', '目标', { 分析员: hand }))
    expect(await denialOf(guards, bash('rm x'))).toBeDefined()
    expect(await denialOf(guards, bash('ls'))).toBeUndefined()
    const input = { subagent_type: '分析员', prompt: 'p' }
    expect(await askHooks(guards, 'PreToolUse', { tool: 'Agent', input })).toMatchObject([
      { updatedInput: { isolation: 'worktree', run_in_background: false } },
    ])
  })

  it("keeps workers' other tools from the coordinator, and gives what it was given", async () => {
    const tools = ['Grep', 'Read', 'WebFetch', 'mcp__files__write', 'mcp__files__read']
    const guards = roleGuards(
      coordinator('c', 'g', { hand: worker('d', 'p', { tools }) }, { tools: ['WebFetch', 'mcp__files__read'] }),
    )
    for (const tool of ['Grep', 'mcp__files__write']) expect(await denialOf(guards, { tool })).toMatch(/for workers/)
    for (const tool of ['Read', 'WebFetch', 'mcp__files__read'])
      expect(await denialOf(guards, { tool })).toBeUndefined()
    expect(await denialOf(guards, { tool: 'Grep', agentId: 'a', agentType: 'hand' })).toBeUndefined()
    const lead = worker('d', 'p', { tools: ['Agent', 'Grep'], delegateOnly: true })
    const nested = roleGuards(coordinator('c', 'g', { lead }))
    expect(await denialOf(nested, { tool: 'Grep' })).toMatch(/for workers/)
    expect(await denialOf(nested, { tool: 'Grep', agentId: 'a', agentType: 'lead' })).toBeUndefined()
  })

  it('has no glance without Bash, and no foreground where the background is wanted', async () => {
    const guards = roleGuards(coordinator('c', 'g', { hand: worker('d', 'p') }, { glance: false }), {
      background: true,
    })
    expect(await denialOf(guards, bash('ls'))).toBeDefined()
    expect(await askHooks(guards, 'PreToolUse', { tool: 'Agent', input: { subagent_type: 'hand' } })).toEqual([])
  })

  it('holds any other role to its tools, and its delegating subagents to theirs', async () => {
    const lead = worker('leads', 'lead', { delegateOnly: true })
    const guards = roleGuards(
      agentSpec({ name: 'reader', instructions: '', tools: ['Read', 'Agent'], agents: { lead } }),
    )
    expect(await denialOf(guards, bash('ls'))).toMatch(/this is intended/)
    expect(await denialOf(guards, { tool: 'Write', agentId: 'a', agentType: 'lead' })).toMatch(/for workers/)
    expect(await denialOf(guards, { tool: 'Read' })).toBeUndefined()
  })

  it('refuses isolated workers whose workbench is in the checkout that they cannot write to', () => {
    const spec = coordinator('c', 'g', { hand })
    const inside = { folder: '/w/.spillway', name: '.spillway' }
    expect(() => roleGuards(spec, { workbench: inside })).toThrow(/hand works in a worktree/)
    expect(() => roleGuards(spec, { workbench: { folder: '/bench', name: '/bench' } })).not.toThrow()
    expect(() => roleGuards(coordinator('c', 'g', { hand: worker('d', 'p') }), { workbench: inside })).not.toThrow()
  })
})
