/** `spillway schemas`: every file it takes, what it prints, and what it says of files it does not take. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, describe, expect, it } from 'vitest'
import { dietTools } from '../src/planning/schemas/index.ts'
import type { SchemasReport } from '../src/sessions/schemas.ts'
import { temporaryFolder } from './support/archive.ts'
import { documentOf, type Run, spillway } from './support/cli.ts'
import { labelled, selectionOf } from './support/selection/ranking.ts'
import { SELECTION_TOOLS } from './support/selection/tools.ts'

let home = ''
beforeEach(() => {
  home = temporaryFolder()
})

const schema = { type: 'object', title: 'Args', properties: { q: { type: 'string', description: 'What. Nice.' } } }
const words = { name: 'mcp__notes__find', description: 'Finds notes. Made in May.' }
const anthropic = [{ ...words, input_schema: schema }]
const chat = [{ type: 'function', function: { ...words, parameters: schema } }]
const responses = [{ type: 'function', ...words, parameters: schema }]
const mcp = [{ ...words, inputSchema: schema }]
const task = { role: 'user', content: 'Do it.' }
const system = 'You are terse. '.repeat(40)

const FILES: Readonly<Record<string, unknown>> = {
  'Anthropic tools': anthropic,
  'Chat tools': chat,
  'Responses tools': responses,
  'MCP tools': mcp,
  'tools/list result': { tools: mcp, nextCursor: 'x' },
  'tools/list answer': { jsonrpc: '2.0', id: 1, result: { tools: mcp } },
  'AI SDK tools': { [words.name]: { description: words.description, inputSchema: { jsonSchema: schema } } },
}

const REQUESTS: Readonly<Record<string, unknown>> = {
  messages: { model: 'claude-opus-5-5', system: [{ type: 'text', text: system }], messages: [task], tools: anthropic },
  chat: { model: 'gpt-5.2', messages: [{ role: 'developer', content: system }, task], tools: chat },
  responses: { model: 'gpt-5.2', instructions: system, input: [task], tools: responses },
  'AI SDK': { system, messages: [task], tools: FILES['AI SDK tools'] },
}

async function schemas(content: unknown, ...flags: string[]): Promise<Run> {
  const file = join(home, 'file.json')
  writeFileSync(file, typeof content === 'string' ? content : JSON.stringify(content))
  return spillway(['schemas', file, ...flags], { cwd: home })
}

describe('spillway schemas', () => {
  it.each(Object.entries(FILES))('measures %s', async (_, content) => {
    const run = await schemas(content, '--json')
    expect(run.code).toBe(0)
    const { tools, servers, total, dietTotal, floor } = documentOf(run) as unknown as SchemasReport
    expect(tools).toEqual([{ name: words.name, tokens: total, dietTokens: dietTotal }])
    expect(servers).toEqual([{ name: 'notes', tools: 1, tokens: total, dietTokens: dietTotal }])
    expect([floor, dietTotal < total]).toEqual([total, true])
  })

  it.each(Object.entries(REQUESTS))('adds the system prompt of a request of %s to the floor', async (_, content) => {
    const report = documentOf(await schemas(content, '--json')) as unknown as SchemasReport
    expect(report.system).toBeGreaterThan(100)
    expect(report.floor).toBe(report.system + report.total)
    expect(report.total).toBeGreaterThan(20)
  })

  it('prints the tools on diet in the shape they came in', async () => {
    const { stdout } = await schemas(chat, '--diet')
    const slim = { type: 'object', properties: { q: { type: 'string', description: 'What.' } } }
    expect(JSON.parse(stdout)).toEqual([{ type: 'function', function: { ...words, parameters: slim } }])
    const { diet } = documentOf(await schemas(FILES['tools/list result'], '--diet', '--json'))
    expect(diet).toEqual([{ ...words, inputSchema: slim }])
  })

  it('prints a table for people, and reads standard input', async () => {
    const { stdout } = await spillway(['schemas', '-'], { cwd: home, input: JSON.stringify(REQUESTS.messages) })
    expect(stdout).toMatch(/mcp__notes__find +\d+ +\d+ +\d/)
    expect(stdout).toMatch(/MCP server notes, 1 tool /)
    expect(stdout).toMatch(/floor +\d+ tokens on every request \(system prompt \d+, tools \d+\)/)
  })

  it.each([
    ['{"tools": [', /file\.json:?\d*: no JSON/],
    ['"text"', /holds no tools; expected an array of tools/],
    ['{"a": 1}', /holds no tools/],
    ['[{"role": "user", "content": "x"}]', /tool 0 has no name/],
    ['{"tools": {"a": 5}}', /tool a has no name/],
    [`${'['.repeat(5000)}${']'.repeat(5000)}`, /nested deeper/],
  ])('says what is wrong with %.30s', async (content, problem) => {
    const run = await schemas(content)
    expect([run.code, run.stdout]).toEqual([1, ''])
    expect(run.stderr).toMatch(problem)
    expect(run.stderr.trim().split('\n')).toHaveLength(1)
  })
})

describe('selection on diet', () => {
  /** Three requests of 226. */
  const MOST_LOST = 3

  it('still ranks the right tool first', () => {
    expect(labelled().length).toBeGreaterThanOrEqual(200)
    expect(new Set(labelled().map(({ tool }) => tool)).size).toBe(SELECTION_TOOLS.length)
    const full = selectionOf(SELECTION_TOOLS)
    const slim = selectionOf(dietTools(SELECTION_TOOLS))
    expect(full.first).toBeGreaterThan(0.9 * full.requests)
    expect(slim.first).toBeGreaterThanOrEqual(full.first - MOST_LOST)
    expect(slim.reciprocalRank).toBeGreaterThan(full.reciprocalRank - 0.01)
  })

  it('would show if tools were cut more than that', () => {
    const cut = SELECTION_TOOLS.map((tool) => ({ ...tool, description: tool.description.replace(/\. .*/s, '.') }))
    expect(selectionOf(cut).first).toBeLessThan(selectionOf(SELECTION_TOOLS).first - MOST_LOST)
  })
})
