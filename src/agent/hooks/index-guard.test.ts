import { readFileSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { temporaryFolder } from '../../../test/support/archive.ts'
import { askHooks, type ToolCall } from '../../../test/support/hook-calls.ts'
import { openWorkbench } from '../workbench/workbench.ts'
import type { HookEvent } from './hook-event.ts'
import { indexGuard } from './index-guard.ts'
import { workbenchContext } from './workbench-context.ts'

function bench() {
  const workspace = temporaryFolder()
  const workbench = openWorkbench({ workspace })
  const events: HookEvent[] = []
  const hooks = indexGuard({ workbench, onEvent: (event) => events.push(event) })
  const done = (call: ToolCall) => askHooks(hooks, 'PostToolUse', { cwd: workspace, response: {}, ...call })
  const index = () => readFileSync(join(workbench.folder, 'INDEX.md'), 'utf8')
  const write = (path: string) => {
    writeFileSync(join(workbench.folder, path), '# desc: checks\n')
    return join(workbench.folder, path)
  }
  return { workspace, workbench, events, done, index, write }
}

describe('indexGuard', () => {
  it('refreshes the index when an editing tool or a command wrote into the workbench', async () => {
    const { done, index, write, events, workspace } = bench()
    expect(await done({ tool: 'Write', input: { file_path: write('scripts/a.sh') } })).toEqual([])
    expect(index()).toContain('scripts/a.sh` — checks')
    write('scripts/b.sh')
    await done({ tool: 'Bash', input: { command: `cat > '.spillway/scripts/b.sh' <<'EOF'\n# desc: checks\nEOF` } })
    expect(index()).toContain('scripts/b.sh')
    write('scripts/c.sh')
    await done({ tool: 'Bash', input: { command: 'cd .spillway/scripts && touch c.sh' } })
    expect(index()).toContain('scripts/c.sh')
    rmSync(join(workspace, '.spillway/scripts/c.sh'))
    await done({ tool: 'Bash', input: { command: 'rm .spillway/scripts/c.sh' } })
    expect(index()).not.toContain('scripts/c.sh')
    expect(events).toHaveLength(4)
    expect(events[3]).toEqual({ type: 'index-refreshed', entries: 2 })
  })

  it('leaves it alone for everything else', async () => {
    const { done, write, events, workspace } = bench()
    write('scripts/a.sh')
    await done({ tool: 'Write', input: { file_path: join(workspace, 'a.txt') } })
    await done({ tool: 'Bash', input: { command: 'ls -la /' } })
    await done({ tool: 'Write', input: 'nonsense' })
    await done({ tool: 'Edit', input: { file_path: join(workspace, '.spillway-notes/a.md') } })
    expect(events).toEqual([])
  })

  it('notes what was run or read as used', async () => {
    const { done, write } = bench()
    for (const call of [
      { tool: 'Bash', input: { command: 'bash .spillway/scripts/a.sh --all' } },
      { tool: 'Read', input: { file_path: '.spillway/scripts/a.sh' } },
    ]) {
      const path = write('scripts/a.sh')
      utimesSync(path, 1000, 1000)
      await done(call)
      expect(statSync(path).atimeMs).toBeGreaterThan(2_000_000)
      expect(statSync(path).mtimeMs).toBe(1_000_000)
    }
  })

  it('says so when it fails, and changes nothing', async () => {
    const { done, write, events, workbench } = bench()
    const path = write('scripts/a.sh')
    rmSync(join(workbench.folder, 'INDEX.md'), { force: true })
    workbench.refresh = () => {
      throw new Error('disk full')
    }
    expect(await done({ tool: 'Write', input: { file_path: path } })).toEqual([])
    expect(events).toMatchObject([
      { type: 'hook-failed', hook: 'index guard', reason: expect.stringContaining('disk full') },
    ])
  })
})

describe('workbenchContext', () => {
  it('tells a worker as it starts, and lets it start when that fails', async () => {
    const { workbench, write } = bench()
    write('scripts/a.sh')
    const events: HookEvent[] = []
    const hooks = workbenchContext({ workbench, onEvent: (event) => events.push(event) })
    const start = () => askHooks(hooks, 'SubagentStart', { tool: '' })
    expect(await start()).toEqual([
      { hookEventName: 'SubagentStart', additionalContext: expect.stringContaining('scripts/a.sh` — checks') },
    ])
    workbench.subagentContext = () => {
      throw new Error('gone')
    }
    expect(await start()).toEqual([])
    expect(events).toMatchObject([{ type: 'hook-failed', hook: 'workbench context' }])
  })
})
