/**
 * The real Claude Code binary of the Agent SDK resumes what `compact` made of the examples, on loopback, against a
 * server that refuses what the API refuses. The binary heals a broken prefix by losing all thinking, so a refusal
 * counts as a failure even where the run goes on.
 */
import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { compactSession } from '../src/sessions/compact.ts'
import { answer, call, say, scriptedModel, think, type WireRequest } from '../src/testing/index.ts'
import {
  type ClaudeHome,
  claudeCodeBinary,
  createClaudeHome,
  placeSession,
  runClaudeCode,
} from './support/claude-code.ts'
import { EXAMPLES, noticeMissing } from './support/shared.ts'
import { flatten, type PlacedBlock, type WireDifference, wireDifference } from './support/wire-difference.ts'

const binary = claudeCodeBinary()
if (!binary) noticeMissing("the Agent SDK's Claude Code binary")

/** The model the examples were recorded with; it binds thinking to its prefix. */
const MODEL = 'claude-opus-5-5'
const TOOLS = ['Bash', 'Read', 'Edit', 'Write', 'Grep', 'Glob', 'Agent']

interface Resumed {
  readonly first: WireRequest
  readonly requests: number
  readonly refusals: readonly string[]
  readonly error: unknown
}

/** Resumes a session for one question, one call and one answer. `original`: what the strict server has seen before. */
async function resume(home: ClaudeHome, sessionId: string, original?: WireRequest): Promise<Resumed> {
  const script = [
    answer(think('What is here?'), call('Bash', { command: 'ls', description: 'List' })),
    answer(say('Done.')),
  ]
  const model = await scriptedModel({ script, strict: original !== undefined })
  try {
    if (original) model.learn(original)
    const run = await runClaudeCode(home, model.url, {
      prompt: 'Go on.',
      model: MODEL,
      tools: TOOLS,
      resume: sessionId,
    })
    const first = model.requests[0]?.body
    if (!first) throw new Error(`the binary sent nothing: ${String(run.error)}`)
    const refusals = model.refusals().map((request) => request.refusal?.message ?? '')
    return { first, requests: model.requests.length, refusals, error: run.error }
  } finally {
    await model.close()
  }
}

/** The request of the untouched example; a fresh copy of it is in place afterwards. */
async function resumeOriginal(home: ClaudeHome, file: string, sessionId: string): Promise<WireRequest> {
  const placed = placeSession(home, file, sessionId)
  const { first, error } = await resume(home, sessionId)
  expect(error).toBeUndefined()
  rmSync(placed)
  placeSession(home, file, sessionId)
  return first
}

/** What stands in an edited place: a pointer, or a note about a call that was stopped or never answered. */
const OURS = /\[spillway [a-z2-7]{12}: |\[interrupted: |\[no result recorded: /

function isThinking({ block }: PlacedBlock): boolean {
  return block.type === 'thinking'
}

/** Only edited places differ: notes of ours in them, dropped denials whole, and no thinking gone before the first edit. */
function expectOnlyEdits(difference: WireDifference, droppedCalls: readonly string[]): void {
  for (const { to } of difference.replaced) expect(JSON.stringify(to.block)).toMatch(OURS)
  expect(difference.added).toEqual([])
  const dropped = difference.removed
    .filter((placed) => !isThinking(placed))
    .map(({ block }) => block.id ?? block.tool_use_id)
  expect(dropped).toEqual(droppedCalls.flatMap((id) => [id, id]))
}

/** Index of the first message that is not as it was, thinking apart. */
function firstEdit({ replaced, removed }: WireDifference): number {
  const edited = [...replaced.map(({ from }) => from), ...removed.filter((placed) => !isThinking(placed))]
  return Math.min(...edited.map((placed) => placed.message))
}

describe.skipIf(!binary)('the real binary resumes', () => {
  let home: ClaudeHome
  beforeEach(() => {
    home = createClaudeHome()
  })
  afterEach(() => home.remove())

  for (const name of ['long', 'damaged']) {
    const file = join(EXAMPLES, `${name}.jsonl`)
    const sessionId = sessionIdOf(file)

    it.each(['fork', 'in-place'] as const)(`${name}.jsonl compacted with %s`, async (kind) => {
      const original = await resumeOriginal(home, file, sessionId)
      const placed = join(home.sessions, `${sessionId}.jsonl`)
      const target = kind === 'fork' ? { kind } : { kind, force: true }
      const report = await compactSession(placed, { target, archive: join(home.root, 'archive') })
      expect(report.outcome).toBe('rewritten')
      const resumed = await resume(home, report.id ?? sessionId, original)

      expect(resumed).toMatchObject({ error: undefined, refusals: [], requests: 2 })
      expect(resumed.first.system).toEqual(original.system)
      expect(resumed.first.tools).toEqual(original.tools)
      const difference = wireDifference(original, resumed.first)
      expectOnlyEdits(difference, droppedDenials(file))
      const edits = (...rules: string[]): number =>
        rules.reduce((sum, rule) => sum + (report.byRule[rule]?.edits ?? 0), 0)
      const bodies = edits('results', 'arguments', 'debris', 'dangling') - apiErrors(file)
      expect(difference.replaced).toHaveLength(bodies)
      expect(difference.removed.filter(isThinking)).toHaveLength(edits('thinking'))
      const thinking = flatten(original).filter(isThinking)
      const kept = thinking.filter((placed) => placed.message < firstEdit(difference))
      expect(
        flatten(resumed.first)
          .filter(isThinking)
          .map(({ block }) => block),
      ).toEqual(kept.map(({ block }) => block))
      process.stdout.write(`${name} ${kind}: ${kept.length} of ${thinking.length} thinking blocks reached the wire\n`)
    })
  }

  it('notices an edit that keeps the thinking behind it (control)', async () => {
    const file = join(EXAMPLES, 'long.jsonl')
    const sessionId = sessionIdOf(file)
    const original = await resumeOriginal(home, file, sessionId)
    const placed = join(home.sessions, `${sessionId}.jsonl`)
    const lines = readFileSync(placed, 'utf8').split('\n')
    const edited = lines.findIndex((line) => line.includes('"tool_result"'))
    lines[edited] = lines[edited]?.replace('src/bookings/store.ts', '[gone]') ?? ''
    writeFileSync(placed, lines.join('\n'))
    const resumed = await resume(home, sessionId, original)
    expect(resumed.refusals).toEqual([expect.stringMatching(/The block is bound to a different conversation/)])
  })
})

function sessionIdOf(file: string): string {
  return /"sessionId":"([0-9a-f-]+)"/.exec(readFileSync(file, 'utf8'))?.[1] ?? ''
}

/** Ids of the calls a machine refused, all but the newest, as the recording's own flags tell. */
function droppedDenials(file: string): string[] {
  const refused: string[] = []
  for (const line of readFileSync(file, 'utf8').split('\n')) {
    if (!line.includes('"toolDenialKind"')) continue
    const entry = JSON.parse(line)
    const bySource = entry.toolDenialKind === 'user-rejected' && entry.permissionDecision?.source === 'config'
    const machine = entry.toolDenialKind === 'permission-rule' && entry.holdsPersonsWords !== true
    if (machine || bySource) refused.push(entry.message.content[0].tool_use_id)
  }
  return refused.slice(0, -1)
}

/** Entries of API errors: the debris rule drops them, and the binary does not send them anyway. */
function apiErrors(file: string): number {
  return readFileSync(file, 'utf8').split('"isApiErrorMessage":true').length - 1
}
