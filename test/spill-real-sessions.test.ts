/**
 * Every tool answer of the recorded Claude Code sessions through the spill guard: nothing is lost, no shape changes,
 * nothing grows, and nothing fails.
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { describe, expect, it, onTestFinished } from 'vitest'
import { type HookEvent, spillGuard } from '../src/agent/index.ts'
import { openArchive } from '../src/archive/index.ts'
import { referencesIn } from '../src/core/pointer.ts'
import { temporaryFolder } from './support/archive.ts'
import { replacedBy } from './support/hook-calls.ts'
import { hasData, noticeMissing, sessionFiles } from './support/shared.ts'

if (!hasData) noticeMissing('the shared data')

interface Answer {
  readonly tool: string
  readonly input: unknown
  readonly response: unknown
}

/** The answers as the binary recorded them beside each result, with the calls they belong to. */
function* answersIn(file: string): Generator<Answer> {
  const bytes = readFileSync(file)
  const text = (file.endsWith('.gz') ? gunzipSync(bytes) : bytes).toString('utf8')
  const calls = new Map<string, { name: string; input: unknown }>()
  for (const line of text.split('\n')) {
    if (!line.includes('"tool_')) continue
    let entry: { message?: { content?: unknown }; toolUseResult?: unknown }
    try {
      entry = JSON.parse(line)
    } catch {
      // Some recordings are cut in the middle of a line.
      continue
    }
    const content = entry.message?.content
    for (const block of Array.isArray(content) ? content : []) {
      if (block.type === 'tool_use') calls.set(block.id, block)
      const call = block.type === 'tool_result' ? calls.get(block.tool_use_id) : undefined
      if (call && entry.toolUseResult !== undefined && typeof entry.toolUseResult !== 'string') {
        yield { tool: call.name, input: call.input, response: entry.toolUseResult }
      }
    }
  }
}

describe.skipIf(!hasData)('spilling the answers of recorded sessions', () => {
  it.each(['default', 'seed'] as const)('loses nothing with the preset %s', async (preset) => {
    const archive = await openArchive(join(temporaryFolder(), '.spillway'))
    onTestFinished(() => archive.close())
    const events: HookEvent[] = []
    const hooks = spillGuard({ archive, preset, onEvent: (event) => events.push(event) })
    const count = { answers: 0, spilled: 0, before: 0, after: 0 }
    for (const file of sessionFiles('claude-code')) {
      for (const { tool, input, response } of answersIn(file)) {
        const before = JSON.stringify(response)
        const replaced = await replacedBy(hooks, { tool, input, response, cwd: '/none', transcript: file })
        count.answers++
        count.before += before.length
        count.after += before.length
        expect(JSON.stringify(response)).toBe(before)
        if (replaced === undefined) continue
        const after = JSON.stringify(replaced)
        count.spilled++
        count.after += after.length - before.length
        expect(after.length).toBeLessThan(before.length)
        const media = tool === 'Read' && (response as { type?: string }).type !== 'text'
        if (!media) expect(Object.keys(replaced as object)).toEqual(Object.keys(response as object))
        const kept = referencesIn(after).map((ref) => archive.get(ref)?.content ?? '')
        expect(kept.length).toBeGreaterThan(0)
        const missing = stringsOf(response).filter((text) => text.length > 200 && !isThere(text, replaced, kept))
        expect(missing).toEqual([])
      }
    }
    expect(events.filter(({ type }) => type === 'hook-failed')).toEqual([])
    expect(count.spilled).toBeGreaterThan(0)
    process.stdout.write(`${preset}: ${JSON.stringify(count)}\n`)
  })
})

function stringsOf(value: unknown): string[] {
  if (typeof value === 'string') return [value]
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(stringsOf) : []
}

/** It stays, or it is kept, as it is, inside of something, or decoded. */
function isThere(text: string, replaced: unknown, kept: readonly (string | Buffer)[]): boolean {
  if (stringsOf(replaced).includes(text)) return true
  const quoted = JSON.stringify(text).slice(1, -1)
  return kept.some((content) =>
    typeof content === 'string'
      ? content.includes(text) || content.includes(quoted)
      : content.equals(Buffer.from(text, 'base64')),
  )
}
