/** What spilling at birth would have kept out of the recorded Claude Code sessions: model-visible tool text only. */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { spillGuard } from '../src/agent/index.ts'
import { openArchive } from '../src/archive/index.ts'
import { isSpillwayText } from '../src/core/pointer.ts'
import { replacedBy } from '../test/support/hook-calls.ts'
import { hasData, noticeMissing, sessionFiles } from '../test/support/shared.ts'

interface Result {
  readonly tool: string
  readonly input: unknown
  readonly text: string
}

export async function benchSpillSavings(): Promise<void> {
  if (!hasData) return noticeMissing('the shared data')
  const results = sessionFiles('claude-code').flatMap(resultsIn)
  const total = results.reduce((sum, { text }) => sum + text.length, 0)
  process.stdout.write(`\n${results.length} text results, ${thousands(total)} characters, in recorded sessions\n`)
  process.stdout.write('preset    spilled   their characters   left of them   of all tool text saved\n')
  for (const preset of ['default', 'seed'] as const) {
    const folder = mkdtempSync(join(tmpdir(), 'spillway-savings-'))
    const archive = await openArchive(folder)
    const hooks = spillGuard({ archive, preset })
    const sum = { count: 0, before: 0, after: 0 }
    for (const { tool, input, text } of results) {
      const replaced = (await replacedBy(hooks, { tool, input, cwd: '/none', response: { text } })) as { text: string }
      if (replaced === undefined || !isSpillwayText(replaced.text)) continue
      sum.count++
      sum.before += text.length
      sum.after += replaced.text.length
    }
    archive.close()
    rmSync(folder, { recursive: true })
    const saved = `${(((sum.before - sum.after) / total) * 100).toFixed(1)} %`
    const cells = [String(sum.count).padStart(8), thousands(sum.before).padStart(18), thousands(sum.after).padStart(14)]
    process.stdout.write(`${preset.padEnd(8)}${cells.join(' ')}${saved.padStart(25)}\n`)
  }
}

function resultsIn(file: string): Result[] {
  const calls = new Map<string, { name: string; input: unknown }>()
  const results: Result[] = []
  const bytes = readFileSync(file)
  for (const line of (file.endsWith('.gz') ? gunzipSync(bytes) : bytes).toString('utf8').split('\n')) {
    let entry: { message?: { content?: unknown } }
    try {
      entry = JSON.parse(line)
    } catch {
      // Some recordings are cut in the middle of a line.
      continue
    }
    const content = entry.message?.content
    for (const block of Array.isArray(content) ? content : []) {
      if (block.type === 'tool_use') calls.set(block.id, block)
      const call = block.type === 'tool_result' && !block.is_error ? calls.get(block.tool_use_id) : undefined
      if (call === undefined) continue
      const parts = typeof block.content === 'string' ? [block.content] : (block.content ?? []).map(textOf)
      results.push({ tool: call.name, input: call.input, text: parts.join('\n') })
    }
  }
  return results
}

function textOf(part: { readonly type?: string; readonly text?: string }): string {
  return part.type === 'text' ? (part.text ?? '') : ''
}

function thousands(count: number): string {
  return count.toLocaleString('en')
}
