/** The examples in examples/loops survive 500 steps in a window of 16,000 tokens, and type-check as a user's would. */
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { EXAMPLES } from './support/shared.ts'

const PROJECT = join(EXAMPLES, '..')
const CONFIG = join(PROJECT, 'test', 'support', 'examples.tsconfig.json')
const PATIENCE = 240_000

function run(...words: string[]): { status: number | null; stdout: string; stderr: string } {
  return spawnSync(process.execPath, words, { cwd: PROJECT, encoding: 'utf8', timeout: PATIENCE })
}

describe('the examples of loops', () => {
  it('type-check', () => {
    const compiler = join(PROJECT, 'node_modules', 'typescript', 'bin', 'tsc')
    expect(run(compiler, '-p', CONFIG, '--noEmit').stdout).not.toMatch(/examples\/(?:loops|agents)/)
  })

  it.each(['anthropic', 'openai', 'ai-sdk'])('%s survives 500 steps', { timeout: PATIENCE }, (name) => {
    const tsx = join(PROJECT, 'node_modules', 'tsx', 'dist', 'cli.mjs')
    const { status, stdout, stderr } = run(tsx, '--tsconfig', CONFIG, join('examples', 'loops', `${name}.ts`))
    expect([status, stderr]).toEqual([0, ''])
    expect(stdout).toContain('All 500 log files are checked.')
    expect(stdout).toContain('501 requests, 0 refused, 0 without the task')
    const [, largest] = /largest prompt (\d+) of 16000 tokens/.exec(stdout) ?? []
    expect(Number(largest)).toBeLessThan(16_000 * 0.6)
  })
})
