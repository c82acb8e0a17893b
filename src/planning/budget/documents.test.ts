import { describe, expect, it } from 'vitest'
import { floorOf } from './floor.ts'

const body = 'Rules of this project. '.repeat(50)

describe('the floor', () => {
  it.each([
    [
      'Claude Code',
      `Intro\nContents of /home/u/p/CLAUDE.md (project instructions, checked into the codebase):\n\n${body}`,
      '/home/u/p/CLAUDE.md',
    ],
    ['Codex', `# AGENTS.md instructions for /home/u/p\n\n<INSTRUCTIONS>\n${body}\n</INSTRUCTIONS>\nmore`, 'AGENTS.md'],
    ['OpenClaw', `# Project Context\n## /w/SOUL.md\n\n${body}`, '/w/SOUL.md'],
    ['a tag', `<file path="docs/LESSONS.md">\n${body}\n</file>\nmore words`, 'docs/LESSONS.md'],
  ])('finds the fixed document of %s', (_, text, name) => {
    const [document, ...others] = floorOf({ system: [text] }).documents
    expect(others).toEqual([])
    expect(document?.name).toBe(name)
    expect(document?.tokens).toBeGreaterThan(150)
  })

  it('several, the largest first, also before the task', () => {
    const system = [`## AGENTS.md\n${body}${body}\n## SOUL.md\n${body}`]
    const { documents } = floorOf({ system, opening: [`Contents of CLAUDE.md (project):\n${body}${body}${body}`] })
    expect(documents.map(({ name }) => name)).toEqual(['CLAUDE.md', 'AGENTS.md', 'SOUL.md'])
  })

  it('a mention is no document', () => {
    expect(floorOf({ system: ['Read AGENTS.md first, then README.md.\n# Rules\nbe brief'] }).documents).toEqual([])
  })

  it('system and tools apart, per tool and per server', () => {
    const tool = (name: string) => ({ name, description: 'does it', input_schema: { type: 'object', properties: {} } })
    const tools = [tool('Read'), tool('mcp__github__list'), tool('mcp__github__get'), tool('mcp__jira__get')]
    const floor = floorOf({ system: ['You are an agent.'], tools })
    expect(floor.byTool.map(({ name }) => name)).toEqual(tools.map(({ name }) => name))
    expect(floor.byServer).toMatchObject([
      { name: 'github', tools: 2 },
      { name: 'jira', tools: 1 },
    ])
    expect(floor.tools).toBe(floor.byTool.reduce((sum, { tokens }) => sum + tokens, 0))
    expect(floor.total).toBe(floor.system + floor.tools)
    expect(floor.system).toBeGreaterThan(0)
  })
})
