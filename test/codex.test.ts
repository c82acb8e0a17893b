/** Codex rollouts: the view, the writer against `apply`, faults and their repair, and the use cases. */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { apply } from '../src/core/apply.ts'
import { economize } from '../src/core/economy.ts'
import { REPAIR_ONLY } from '../src/core/policy.ts'
import { isGlance } from '../src/core/rules/glances.ts'
import { exchangesOf } from '../src/core/transcript.ts'
import { codex } from '../src/formats/codex/index.ts'
import { resumeCommand } from '../src/formats/places.ts'
import { compactSession } from '../src/sessions/compact.ts'
import { discoverSessions } from '../src/sessions/discover.ts'
import { doctorSession } from '../src/sessions/doctor.ts'
import { asCodex } from './support/generated-rollouts.ts'
import { story } from './support/generated-sessions.ts'
import { someEdits } from './support/pi.ts'
import { linesOf, readBytes, undone, written } from './support/session-bytes.ts'
import { spokenBy } from './support/transcripts.ts'

const RUNS = Number(process.env.SPILLWAY_PROPERTY_RUNS ?? 600)
const ID = '01a22b10-8b54-7496-a688-5292bba1f30e'

type Line = readonly [type: string, payload: Record<string, unknown>]

const meta: Line = ['session_meta', { id: ID, cwd: '/w', timestamp: 't' }]
const said = (text: string, role = 'user'): Line => [
  'response_item',
  { type: 'message', role, content: [{ type: role === 'user' ? 'input_text' : 'output_text', text }] },
]
const asked = (id: string): Line => [
  'response_item',
  { type: 'function_call', name: 'shell', call_id: id, arguments: '{"command":["bash","-lc","git status"]}' },
]
const answered = (id: string, output = 'out'): Line => [
  'response_item',
  { type: 'function_call_output', call_id: id, output },
]
const thought: Line = ['response_item', { type: 'reasoning', summary: [], encrypted_content: 'S' }]
const event = (type: string, fields: Record<string, unknown> = {}): Line => ['event_msg', { type, ...fields }]

function bytesOf(...lines: readonly (Line | string)[]): Buffer {
  const texts = lines.map((line) =>
    typeof line === 'string'
      ? line
      : JSON.stringify({ timestamp: '2026-11-30T06:00:00Z', type: line[0], payload: line[1] }),
  )
  return Buffer.from(`${texts.join('\n')}\n`)
}

const view = (...lines: readonly (Line | string)[]): string[] => spokenBy(readBytes(codex, bytesOf(...lines)).main)

describe('the view', () => {
  it('what Codex says in the user\u2019s name is told from the user', () => {
    const { main } = readBytes(codex, bytesOf(meta, said('<environment_context>x</environment_context>'), said('task')))
    expect(main.messages.map(({ kind }) => kind)).toEqual(['meta', undefined])
  })

  it('one answer is one message of several entries', () => {
    const { main } = readBytes(
      codex,
      bytesOf(meta, said('q'), thought, said('so', 'assistant'), asked('a'), answered('a')),
    )
    expect(main.messages.map(({ role, entries }) => [role, entries])).toEqual([
      ['user', [1]],
      ['assistant', [2, 3, 4]],
      ['user', [5]],
    ])
  })

  it('a compaction without replacement keeps what the user said and puts its summary behind it', () => {
    const lines = [meta, said('q'), asked('a'), answered('a'), ['compacted', { message: 'sum' }], said('go')] as const
    expect(view(...lines)).toEqual(['user: text q', 'user: text sum', 'user: text go'])
    const reader = codex.reader({ reading: 'history' })
    for (const line of linesOf(bytesOf(...lines))) reader.push(line)
    expect(spokenBy(reader.finish().main).map((line) => line.split(' ')[1])).toEqual([
      'text',
      expect.stringMatching(/^shell/),
      '#a',
      'text',
    ])
  })

  it('a compaction with a replacement stands for everything before it', () => {
    const replacement_history = [said('q')[1], { type: 'compaction', encrypted_content: 'S' }]
    const lines = [
      meta,
      said('q'),
      said('a', 'assistant'),
      ['compacted', { message: '', replacement_history }],
      said('go'),
    ] as const
    expect(view(...lines)).toEqual(['user: text q', 'user: opaque ', 'user: text go'])
    expect(readBytes(codex, bytesOf(...lines)).main.messages[0]?.kind).toBe('compaction-summary')
  })

  it('a rollback takes the newest turns back', () => {
    const lines = [meta, said('q'), said('a', 'assistant'), said('r'), said('b', 'assistant')] as const
    expect(view(...lines, event('thread_rolled_back', { num_turns: 1 }), said('s'))).toEqual([
      'user: text q',
      'assistant: text a',
      'user: text s',
    ])
  })

  it('usage counts once a request, before or behind its items', () => {
    const count = (total: number): Line =>
      event('token_count', {
        info: {
          total_token_usage: { total_tokens: total },
          last_token_usage: { input_tokens: 90, cached_input_tokens: 50, output_tokens: total },
        },
      })
    const lines = [
      meta,
      said('q'),
      count(1),
      said('a', 'assistant'),
      count(1),
      said('r'),
      said('b', 'assistant'),
      count(2),
    ] as const
    const { facts, main } = readBytes(codex, bytesOf(...lines))
    expect(facts.requests.map(({ entry, usage }) => [entry, usage.output, usage.cacheRead, usage.input])).toEqual([
      [3, 1, 50, 40],
      [6, 2, 50, 40],
    ])
    expect(main.messages.map(({ usage }) => usage?.output)).toEqual([undefined, 1, undefined, 2])
  })

  it('a command given as words for a shell is judged like any other', () => {
    const { main } = readBytes(codex, bytesOf(meta, said('q'), asked('a'), answered('a')))
    const [exchange] = exchangesOf(main)
    const { result } = exchange ?? {}
    expect(exchange && result && isGlance({ ...exchange, result, resultMessage: 2 }, main.tools)).toBe(true)
  })
})

describe('the writer', () => {
  it('does what apply does, and its splices give the input back', () => {
    const numbers = fc.array(fc.nat(10_000), { minLength: 3, maxLength: 40 })
    fc.assert(
      fc.property(story(12, true), numbers, (told, choices) => {
        const bytes = asCodex(told)
        const session = readBytes(codex, bytes)
        // A summary holds no results to reorder, and nobody puts words before it: Codex keeps the user's only.
        const summary = session.main.messages.find(({ kind }) => kind === 'compaction-summary')?.entries[0] ?? -1
        const edits = someEdits(session.main, choices).filter((edit) => {
          if (edit.kind === 'move') return edit.after >= summary && edit.at.entry > summary
          if (edit.kind === 'insert-message') return edit.at.entry >= summary
          return edit.kind !== 'reorder' || edit.at.entry !== summary
        })
        const { output, splices } = written(codex, session, bytes, edits)
        expect(undone(output, splices).equals(bytes)).toBe(true)
        const after = readBytes(codex, output)
        // Responses have no error flag.
        const lines = (transcript: typeof after.main): string[] =>
          spokenBy(transcript).map((line) => line.replace(/^(user: #\S+) failed/, '$1'))
        expect(lines(after.main)).toEqual(lines(apply(session.main, edits)))
        expect(after.facts.badLines.length).toBeLessThanOrEqual(session.facts.badLines.length)
      }),
      { numRuns: RUNS },
    )
  })

  it('no edit, no byte', () => {
    fc.assert(
      fc.property(story(10, true), (told) => {
        const bytes = asCodex(told)
        expect(written(codex, readBytes(codex, bytes), bytes, []).output.equals(bytes)).toBe(true)
      }),
      { numRuns: 100 },
    )
  })

  it('an edited argument leaves the others as they were spelled', () => {
    const text = `{"big":9007199254740993 , "content":"${'x'.repeat(500)}","path":"a\\/b"}`
    const bytes = bytesOf(meta, said('q'), [
      'response_item',
      { type: 'function_call', name: 'write', call_id: 'a', arguments: text },
    ])
    const session = readBytes(codex, bytes)
    const at = { thread: 'main', entry: 2, block: 0 }
    const facts = { rule: 'r', reason: '', purpose: 'economy', class: 'restorable', frees: 1, removed: [] } as const
    const change = { kind: 'replace-arguments', values: [{ path: ['content'], text: 'short' }] } as const
    const { output } = written(codex, session, bytes, [{ ...facts, ...change, at }])
    const line = JSON.parse(output.toString().trim().split('\n')[2] ?? '')
    expect(line.payload.arguments).toBe('{"big":9007199254740993 , "content":"short","path":"a\\/b"}')
  })
})

describe('faults', () => {
  it('X01: a file without session_meta cannot be resumed', () => {
    const rules = (bytes: Buffer) =>
      codex.check(readBytes(codex, bytes), 'rest').map(({ rule, severity }) => [rule, severity])
    expect(rules(bytesOf(said('q')))).toEqual([['X01', 'reject']])
    expect(rules(bytesOf(meta, said('q')))).toEqual([])
  })

  it('X02: joined objects get a line each, and nothing else changes', () => {
    const [one = '', two = ''] = bytesOf(said('q'), said('r')).toString().split('\n')
    const bytes = bytesOf(meta, `${one} ${two}`, said('s'))
    const session = readBytes(codex, bytes)
    expect(codex.check(session, 'rest').map(({ rule, line }) => [rule, line])).toEqual([['X02', 2]])
    const { output, splices } = written(codex, session, bytes, codex.repairs(session))
    expect(output.equals(bytesOf(meta, one, two, said('s')))).toBe(true)
    expect(undone(output, splices).equals(bytes)).toBe(true)
  })

  it('an unanswered call is answered by the output its kind has', () => {
    const call: Line = ['response_item', { type: 'custom_tool_call', name: 'apply_patch', call_id: 'a', input: 'p' }]
    const bytes = bytesOf(meta, said('q'), call, said('never mind'))
    const session = readBytes(codex, bytes)
    const { edits } = economize(session.main, REPAIR_ONLY, { now: 0, limit: 1000 })
    const lines = written(codex, session, bytes, edits).output.toString().trim().split('\n')
    expect(JSON.parse(lines[3] ?? '')).toMatchObject({
      timestamp: '2026-11-30T06:00:00Z',
      payload: { type: 'custom_tool_call_output', call_id: 'a' },
    })
  })
})

describe('the use cases', () => {
  let home = ''
  const folder = () => join(home, '.codex/sessions/2026/11/30')
  const file = () => join(folder(), `rollout-2026-11-30T06-00-00-${ID}.jsonl`)
  beforeAll(() => {
    home = mkdtempSync(join(tmpdir(), 'spillway-codex-'))
    mkdirSync(folder(), { recursive: true })
    writeFileSync(file(), bytesOf(meta, said('q'), asked('a'), answered('a'), asked('b'), said('go on')))
  })
  afterAll(() => rmSync(home, { recursive: true }))

  it('a rollout is found, by its id, in the folder it ran in', () => {
    const found = discoverSessions({ environment: {}, home, cwd: '/w' })
    expect(found).toMatchObject([{ id: ID, format: 'codex', file: file(), here: true }])
  })

  it('doctor names the unanswered call and mends it', async () => {
    const out = join(home, 'fixed.jsonl')
    const report = await doctorSession(file(), { fix: out, archive: join(home, 'archive') })
    expect(report.violations).toMatchObject([{ rule: 'A09', line: 5 }])
    expect(report.remaining).toEqual([])
  })

  it('a fork gets an id of its own, in its name and its header', async () => {
    const report = await compactSession(file(), { target: { kind: 'fork' }, archive: join(home, 'archive') })
    const { out, id } = report
    expect(out).toContain(`rollout-2026-11-30T06-00-00-${id}.jsonl`)
    const [header = ''] = readFileSync(out ?? '', 'utf8').split('\n')
    expect(JSON.parse(header).payload.id).toBe(id)
    expect(report.resume).toBe(resumeCommand('codex', id ?? '', ''))
    expect(report.resume).toBe(`codex resume ${id}`)
  })
})
