/**
 * The labelled behaviour cases of spilling and of the workbench: a `keep` case must come out as flower's does (with
 * its own numbers), a `defect` as is wanted instead.
 */
import { existsSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { type HookEvent, openWorkbench, spillGuard } from '../src/agent/index.ts'
import { describe as descriptionOf } from '../src/agent/workbench/description.ts'
import { nameOf } from '../src/agent/workbench/render.ts'
import { openArchive } from '../src/archive/index.ts'
import { referencesIn } from '../src/core/pointer.ts'
import { referenceOf } from '../src/core/reference.ts'
import { temporaryFolder } from './support/archive.ts'
import { replacedBy } from './support/hook-calls.ts'
import { CASES, hasCases, noticeMissing } from './support/shared.ts'

type Json = Record<string, unknown>

interface SpillCase {
  readonly id: string
  readonly verdict: 'keep' | 'neutral' | 'defect'
  readonly tool?: string
  readonly input?: Json
  readonly response?: unknown
  readonly flower: unknown
}

interface DescriptionCase {
  readonly id: string
  readonly verdict: 'keep' | 'neutral' | 'defect'
  readonly head: string
  readonly flower: unknown
}

if (!hasCases) noticeMissing('../shared/cases')

function cases<Case>(name: string): Case[] {
  const file = join(CASES, 'behaviour', name)
  return existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as { cases: Case[] }).cases : []
}

/** Long texts are recorded as their length, beginning and end. */
function rebuilt({ chars, head, tail }: { chars: number; head: string; tail: string }): string {
  // A path is recorded with its workspace's name in place of its length.
  if (chars <= head.length || head.startsWith('<ws>')) return head.slice(0, chars)
  for (let period = 1; period <= 8; period++) {
    const text = head
      .slice(0, period)
      .repeat(Math.ceil(chars / period))
      .slice(0, chars)
    if (text.startsWith(head) && text.endsWith(tail)) return text
  }
  // The other kind of case: 399 letters and then emoji up to the length.
  const last = Array.from(tail).at(-1) ?? ''
  return 'a'.repeat(399) + last.repeat(chars - 399)
}

function expanded(value: unknown, replace: (text: string) => string): unknown {
  if (typeof value === 'string') {
    if (value === "U+D83D + 5000 x 'x'") return `\ud83d${'x'.repeat(5000)}`
    const list = /^(\d+) x '(.*)'$/.exec(value)
    if (list)
      return Array.from({ length: Number(list[1]) }, (_, at) =>
        (list[2] ?? '').replace('0000', String(at).padStart(4, '0')),
      )
    return replace(value)
  }
  if (Array.isArray(value)) return value.map((item) => expanded(item, replace))
  if (typeof value !== 'object' || value === null) return value
  if ('chars' in value && 'head' in value)
    return replace(rebuilt(value as { chars: number; head: string; tail: string }))
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, expanded(member, replace)]))
}

const SPILLED = rebuilt({ chars: 8000, head: 'abc\n'.repeat(22), tail: 'abc\n' })

interface Outcome {
  readonly given: unknown
  /** What the model gets. */
  readonly got: unknown
  readonly changed: boolean
  readonly events: readonly HookEvent[]
  readonly kept: (ref: string) => unknown
}

/** One case, in a workspace in which the texts that its input names were spilled before. */
async function run(given: SpillCase, preset: 'seed' | 'default', options: Json = {}): Promise<Outcome> {
  const workspace = temporaryFolder()
  const archive = await openArchive(join(workspace, '.spillway'))
  onTestFinished(() => archive.close())
  const events: HookEvent[] = []
  const hooks = spillGuard({ archive, preset, onEvent: (event) => events.push(event), ...options })
  const call = { cwd: workspace, tool: given.tool ?? 'Bash' }
  await replacedBy(hooks, { ...call, input: { command: 'x' }, response: { stdout: SPILLED } })
  events.length = 0
  symlinkSync(join(workspace, '.spillway', 'spill'), join(workspace, 'link'))
  writeFileSync(join(workspace, '.spillway', 'spill-notes.md'), SPILLED)
  const replace = (text: string) =>
    text
      .replaceAll('<ws>', workspace)
      .replaceAll('.flower', '.spillway')
      .replaceAll(/[0-9a-f]{16}(?=\.txt)/g, referenceOf(SPILLED))
  if (given.id === 'equal-after-damage')
    writeFileSync(join(workspace, '.spillway', 'spill', `${referenceOf(SPILLED)}.txt`), 'abc')
  if (given.id === 'folder-blocked') {
    rmSync(join(workspace, '.spillway', 'spill'), { recursive: true })
    writeFileSync(join(workspace, '.spillway', 'spill'), '')
  }
  const response = expanded(given.response, replace)
  const got = await replacedBy(hooks, { ...call, input: expanded(given.input, replace), response })
  const file = join(workspace, '.spillway', 'spill', `${referenceOf(SPILLED)}.txt`)
  if (given.id.startsWith('equal')) expect(readFileSync(file, 'utf8')).toBe(SPILLED)
  return {
    given: response,
    got: got ?? response,
    changed: got !== undefined,
    events,
    kept: (ref) => archive.get(ref)?.content,
  }
}

/** Which fields flower replaced, by the shape of its answer. */
function expectSameFields(flower: unknown, outcome: Outcome): void {
  const visit = (theirs: unknown, before: unknown, after: unknown): void => {
    if (typeof before === 'string') {
      const spilled =
        typeof theirs === 'object' && theirs !== null && 'head' in theirs && String(theirs.head).startsWith('[输出')
      if (!spilled) {
        expect(after).toBe(before)
        return
      }
      const [pointer, , ...preview] = String(after).split('\n')
      const [ref] = referencesIn(pointer ?? '')
      expect(outcome.kept(ref ?? '')).toBe(before)
      expect(preview.join('\n')).toBe(Array.from(before).slice(0, 400).join(''))
      return
    }
    if (typeof before !== 'object' || before === null) {
      expect(after).toEqual(before)
      return
    }
    for (const key of Object.keys(before)) {
      visit((theirs as Json)[key], (before as Json)[key], (after as Json)[key])
    }
    expect(Object.keys(after as object)).toEqual(Object.keys(before))
  }
  if (flower === 'unchanged') expect(outcome.changed).toBe(false)
  else visit(flower, outcome.given, outcome.got)
}

/** Everything is in the archive, what is left is short. */
function expectSpilled(outcome: Outcome): void {
  expect(outcome.changed).toBe(true)
  const refs = referencesIn(JSON.stringify(outcome.got))
  expect(refs.length).toBeGreaterThan(0)
  for (const ref of refs) expect(outcome.kept(ref)).toBeDefined()
  expect(JSON.stringify(outcome.got).length).toBeLessThan(6000)
}

/** What is wanted instead of each defect. */
const WANTED: Record<string, (given: SpillCase) => Promise<void>> = {
  'many-fields-just-below': async (given) => expectSpilled(await run(given, 'default')),
  'list-field': async (given) => expectSpilled(await run(given, 'default')),
  'list-of-text-blocks': async (given) => expectSpilled(await run(given, 'default')),
  'dict-in-list-in-dict': async (given) => expectSpilled(await run(given, 'default')),
  'lone-surrogate': async (given) => expectSpilled(await run(given, 'default')),
  'cat-relative': async (given) => expect((await run(given, 'seed')).changed).toBe(false),
  'read-relative': async (given) => expect((await run(given, 'seed')).changed).toBe(false),
  'read-dotdot': async (given) => expect((await run(given, 'seed')).changed).toBe(false),
  'read-through-symlink': async (given) => expect((await run(given, 'seed')).changed).toBe(false),
  'mention-in-a-big-command': async (given) => expectSpilled(await run(given, 'seed')),
  'pattern-names-folder': async (given) => expectSpilled(await run(given, 'seed')),
  'sibling-prefix': async (given) => expectSpilled(await run(given, 'seed')),
  'equal-after-damage': async (given) => expectSpilled(await run(given, 'seed')),
  'folder-blocked': async (given) => {
    const outcome = await run(given, 'seed')
    expect(outcome.changed).toBe(false)
    expect(outcome.events).toMatchObject([{ type: 'hook-failed' }])
  },
}

/** No answer to expand: src/agent/hooks/spill-guard.test.ts runs them on a disk that ends in the middle of a write. */
const ELSEWHERE = new Set(['write-fails-half-way', 'main-only-worker'])

describe.skipIf(!hasCases)('spill cases', () => {
  for (const given of cases<SpillCase>('spill_guard.json').filter(({ id }) => !ELSEWHERE.has(id))) {
    it(`${given.verdict}: ${given.id}`, async () => {
      if (given.verdict !== 'defect') return expectSameFields(given.flower, await run(given, 'seed'))
      const wanted = WANTED[given.id]
      expect(wanted, `what is wanted of ${given.id} is not said here`).toBeDefined()
      await wanted?.(given)
    })
  }
})

/** Where flower's own description is a defect, or was no decision, ours. */
const DESCRIBED: Record<string, string> = {
  'shebang-only': '',
  'full-width-colon': 'run the checks',
  'html-comment': 'run the checks',
  bom: 'run the checks',
  semicolon: 'run the checks',
  percent: 'run the checks',
  'desc-empty': 'other comment',
  'backtick-desc': '`rm` and more',
}

describe.skipIf(!hasCases)('workbench cases', () => {
  for (const { id, verdict, head, flower } of cases<DescriptionCase>('workbench.json')) {
    it(`${verdict}: ${id}`, () => {
      if (id === 'long-desc') {
        const text = descriptionOf(`# desc: ${'w '.repeat(3000)}`)
        expect(text.startsWith('w w w')).toBe(true)
        expect(text.length).toBeLessThanOrEqual(100)
        return
      }
      const own = DESCRIBED[id]
      if (verdict !== 'keep') expect(own, `what is wanted of ${id} is not said here`).toBeDefined()
      expect(descriptionOf(head)).toBe(verdict === 'keep' ? flower : own)
    })
  }

  it('keep: the lines of the index, with every name in one line', () => {
    const workspace = temporaryFolder()
    const bench = openWorkbench({ workspace })
    const files: Record<string, string> = {
      'scripts/check.sh': '# desc: run the checks\n',
      'scripts/weird `name`\nline.sh': '# desc: odd\n',
      'artifacts/big.log': 'x'.repeat(2970),
      'artifacts/huge.bin': '\0'.repeat(2_516_582),
      'notes/deep/n.md': '# Why SQLite\n',
    }
    for (const [path, content] of Object.entries(files)) {
      mkdirSync(dirname(join(bench.folder, path)), { recursive: true })
      writeFileSync(join(bench.folder, path), content)
    }
    bench.refresh()
    const { lines } = JSON.parse(readFileSync(join(CASES, 'behaviour', 'workbench.json'), 'utf8')) as {
      lines: { index: string[]; prompt: string[] }
    }
    const theirs = lines.prompt
      .filter((line) => !line.includes('weird') && !line.startsWith('line.sh'))
      .map((line) => line.replaceAll('.flower', '.spillway'))
    const ours = readFileSync(join(bench.folder, 'INDEX.md'), 'utf8')
      .split('\n')
      .filter((line) => line.startsWith('- '))
    expect(ours.filter((line) => !line.includes('weird'))).toEqual(theirs)
    expect(ours).toContain(`- ${nameOf('.spillway/scripts/weird `name`\nline.sh')} — odd (12B)`)
  })
})
