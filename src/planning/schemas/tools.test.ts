import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { dietTools, measureTools } from './index.ts'

const description = 'Reads a file. It was written in spring. Use it before editing.'
const schema = {
  type: 'object',
  title: 'Input',
  properties: { path: { type: 'string', description: 'The path. A nice one.' } },
  required: ['path'],
}
const slimSchema = {
  type: 'object',
  properties: { path: { type: 'string', description: 'The path.' } },
  required: ['path'],
}
const mark = { cache_control: { type: 'ephemeral' } }

const execute = (): string => 'x'
const validate = (value: unknown) => ({ success: true, value })
const SHAPES: Readonly<Record<string, readonly [tools: unknown, slim: unknown]>> = {
  anthropic: [
    [{ name: 'read', description, input_schema: schema, ...mark }],
    [{ name: 'read', description, input_schema: slimSchema, ...mark }],
  ],
  chat: [
    [{ type: 'function', function: { name: 'read', description, parameters: schema, strict: true } }],
    [
      {
        type: 'function',
        function: { name: 'read', description, parameters: slimSchema, strict: true },
      },
    ],
  ],
  responses: [
    [{ type: 'function', name: 'read', description, parameters: schema, strict: true }],
    [{ type: 'function', name: 'read', description, parameters: slimSchema, strict: true }],
  ],
  mcp: [
    [
      {
        name: 'read',
        title: 'Read',
        description,
        inputSchema: schema,
        outputSchema: schema,
        annotations: { readOnlyHint: true },
      },
    ],
    [
      {
        name: 'read',
        title: 'Read',
        description,
        inputSchema: slimSchema,
        outputSchema: schema,
        annotations: { readOnlyHint: true },
      },
    ],
  ],
  'AI SDK': [
    { read: { description, inputSchema: { jsonSchema: schema, validate }, execute } },
    { read: { description, inputSchema: { jsonSchema: slimSchema, validate }, execute } },
  ],
}

describe('tools on diet', () => {
  it.each(Object.entries(SHAPES))('keep the shape of %s, and are not modified', (_, [tools, slim]) => {
    const before = structuredClone(JSON.parse(JSON.stringify(tools)))
    expect(dietTools(tools)).toEqual(slim)
    expect(JSON.parse(JSON.stringify(tools))).toEqual(before)
    expect(dietTools(slim)).toEqual(slim)
  })

  it('leave what is no tool, what the provider runs, and schemas that are code', () => {
    const server = { type: 'web_search_20250305', name: 'web_search', max_uses: 3 }
    const odd = [null, 5, {}, server]
    expect(dietTools(odd)).toEqual(odd)
    expect(dietTools(odd)[3]).toBe(server)
    const zod = { read: { description: 'Reads.', inputSchema: z.object({ path: z.string() }) } }
    expect(dietTools(zod).read).toBe(zod.read)
    const late = { read: { inputSchema: { jsonSchema: Promise.resolve(schema) } } }
    expect(dietTools(late).read).toBe(late.read)
    expect(dietTools(undefined)).toBeUndefined()
  })
})

describe('the measure of tools', () => {
  it('counts names, descriptions and schemas, whatever the shape', () => {
    const totals = Object.entries(SHAPES).map(([name, [tools]]) => [name, measureTools(tools)] as const)
    for (const [, { tools, total, dietTotal }] of totals) {
      expect(tools).toHaveLength(1)
      expect(tools[0]).toMatchObject({ name: 'read', tokens: total, dietTokens: dietTotal })
      expect(total).toBeGreaterThan(40)
      expect(dietTotal).toBeLessThan(total - 5)
    }
    const counts = totals.map(([, { total }]) => total)
    expect(Math.max(...counts) - Math.min(...counts)).toBeLessThan(12)
  })

  it('adds up by MCP server', () => {
    const named = ['Read', 'mcp__github__issue', 'mcp__github__merge', 'mcp__my_files__read']
    const { servers, tools, total } = measureTools(named.map((name) => ({ name, input_schema: schema })))
    expect(servers.map(({ name, tools: count }) => [name, count])).toEqual([
      ['github', 2],
      ['my_files', 1],
    ])
    expect(servers[0]?.tokens).toBe((tools[1]?.tokens ?? 0) + (tools[2]?.tokens ?? 0))
    expect(total).toBe(tools.reduce((sum, { tokens }) => sum + tokens, 0))
  })
})
