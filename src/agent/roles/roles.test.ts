import { describe, expect, it } from 'vitest'
import { agentSpec, WORKER_TOOLS } from './agent-spec.ts'
import { COORDINATOR_TOOLS, coordinator, worker } from './coordinator.ts'
import { COORDINATOR_RULES, GLANCE_RULES, WORKER_RULES } from './rule-texts.ts'
import { roleOptions } from './sdk-options.ts'

const 分析员 = worker('分析文件:统计、查找、比对。', '你负责文本分析。', {
  tools: ['Read', 'Write', 'Bash', 'Glob', 'Grep'],
})

describe('coordinator', () => {
  it('delegates, reads, keeps its list and glances, and no more', () => {
    const 主控 = coordinator('主控', '目标:摸清 data/ 的规模。', { 分析员 })
    expect(主控).toMatchObject({ name: '主控', delegateOnly: true, glance: true, permissionMode: 'acceptEdits' })
    expect(主控.agents.分析员?.description).toBe('分析文件:统计、查找、比对。')
    expect(主控.tools).toEqual([
      'Agent',
      'Read',
      'TodoWrite',
      'TaskCreate',
      'TaskGet',
      'TaskList',
      'TaskUpdate',
      'Bash',
    ])
    expect(主控.instructions).toBe(`目标:摸清 data/ 的规模。\n\n${COORDINATOR_RULES}\n\n${GLANCE_RULES}`)
    const without = coordinator('c', 'g', {}, { glance: false, tools: ['mcp__human__ask'], rules: '规则' })
    expect(without.tools).toEqual([...COORDINATOR_TOOLS, 'mcp__human__ask'])
    expect(without.instructions).toBe('g\n\n规则')
  })

  it('takes the limits of a run', () => {
    expect(coordinator('c', '', {}, { model: 'claude-opus-5-5', maxTurns: 3, maxBudgetUsd: 2 })).toMatchObject({
      model: 'claude-opus-5-5',
      maxTurns: 3,
      maxBudgetUsd: 2,
    })
  })
})

describe('worker', () => {
  it('does the work on the model of the main thread, and reports in four sections', () => {
    const plain = worker('does', 'Do it.')
    expect(plain).toEqual({
      description: 'does',
      prompt: `Do it.\n\n${WORKER_RULES}`,
      tools: WORKER_TOOLS,
      model: 'inherit',
      isolate: false,
      delegateOnly: false,
    })
    expect(worker('d', 'p', { rules: '', maxTurns: 5, model: 'haiku' })).toMatchObject({
      prompt: 'p',
      maxTurns: 5,
      model: 'haiku',
    })
  })
})

describe('agentSpec', () => {
  it('fills what is not said and refuses what has no name', () => {
    expect(agentSpec({ name: 'judge', instructions: 'Judge.', tools: ['Read'] })).toEqual({
      name: 'judge',
      instructions: 'Judge.',
      tools: ['Read'],
      agents: {},
      delegateOnly: false,
      glance: false,
    })
    const agents = {
      reader: { description: 'reads', prompt: 'Read.', tools: ['Read'] },
      other: { description: 'd', prompt: 'p' },
    }
    expect(agentSpec({ name: 'a', instructions: '', agents }).agents).toEqual({
      reader: { ...agents.reader, model: 'inherit', isolate: false, delegateOnly: false },
      other: { ...agents.other, tools: WORKER_TOOLS, model: 'inherit', isolate: false, delegateOnly: false },
    })
    expect(() => agentSpec({ name: ' ', instructions: '' })).toThrow(/needs a name/)
    expect(() => coordinator('c', '', { '': 分析员 })).toThrow(/c: a subagent needs a name/)
  })
})

describe('roleOptions', () => {
  it('offers and allows what main thread and workers were given; definitions carry what the SDK knows', () => {
    const options = roleOptions(coordinator('主控', 'g', { 分析员 }, { tools: ['mcp__human__ask'], model: 'opus' }))
    expect(options.tools).toEqual([...COORDINATOR_TOOLS, 'Bash', 'Write', 'Glob', 'Grep'])
    expect(options.allowedTools).toEqual([...COORDINATOR_TOOLS, 'Bash', 'mcp__human__ask', 'Write', 'Glob', 'Grep'])
    expect(options.agents).toEqual({
      分析员: { description: 分析员.description, prompt: 分析员.prompt, tools: [...分析员.tools], model: 'inherit' },
    })
    expect(options).toMatchObject({ model: 'opus', permissionMode: 'acceptEdits' })
    expect(roleOptions(agentSpec({ name: 'a', instructions: '' }))).toEqual({ agents: {}, tools: [], allowedTools: [] })
  })
})
