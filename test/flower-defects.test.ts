/**
 * Every numbered defect of flower's session store (`../shared/reference/flower-measured.md`, section 4), absent from
 * the view that an EconomyStore gives. The number stands before each test; where the same defect is also looked at on
 * files or on the wire:
 *
 * | no | defect | here | also |
 * |--:|---|---|---|
 * | 1 | invented leaf | append, load, go on, load | store-resume.test.ts (real binary), behaviour-cases.test.ts |
 * | 2 | late result, result before its call | both orders | behaviour-cases.test.ts |
 * | 3 | orphans, duplicates, empty content, split results | each shape | behaviour-cases.test.ts, legality-properties.test.ts |
 * | 4 | several denials in one message | good and refused calls together | behaviour-cases.test.ts |
 * | 5 | thinking left alone | behind a dropped denial, before a dropped error | rules/debris.test.ts |
 * | 6 | references never re-linked | all three kinds | claude-code/writer.test.ts |
 * | 7 | only the first child re-linked | a progress line first | behaviour-cases.test.ts (healed cases) |
 * | 8 | entries without uuid | denial and error | behaviour-cases.test.ts |
 * | 9 | attachments of a dropped denial stay | hook words | claude-code/writer.test.ts |
 * | 10 | dangling parents, cycles | both | behaviour-cases.test.ts (relink) |
 * | 11 | side threads use up the window | sidechain and abandoned branch | behaviour-cases.test.ts |
 * | 12 | what a compaction cut off is touched | before the boundary | invariants.test.ts |
 * | 13 | load raises | surrogate, full disk, half-written archive, other parts | stores/economy-store.test.ts |
 * | 14 | order of rules | interrupted, spilled and failed glances | behaviour-cases.test.ts |
 * | 15 | the caller's objects are written to | every load here gets frozen objects | store-properties.test.ts |
 *
 * The labelled cases of the store itself are at the end, and every labelled session goes through a store.
 */
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { openArchive } from '../src/archive/index.ts'
import { check } from '../src/core/legality/index.ts'
import { pointerReference } from '../src/core/pointer.ts'
import { chooseAll, type Policy } from '../src/core/policy.ts'
import { DEFAULT_RULES, type RuleOptions } from '../src/core/rules/index.ts'
import { claudeCode, claudeCodeReader } from '../src/formats/claude-code/index.ts'
import { EconomyStore, type SessionStoreEntry, SqliteSessionStore, type StoreEvent } from '../src/stores/index.ts'
import { temporaryFolder } from './support/archive.ts'
import { answered, type ClaudeEntry, call, other, result, said, text, thinking } from './support/claude-lines.ts'
import { CASES, hasCases, noticeMissing } from './support/shared.ts'
import { KEY, memoryStore } from './support/stored-sessions.ts'

const LONG = 'a line of output that goes on and on; '.repeat(100)

function policyOf(rules: RuleOptions): Policy {
  // Windows reach to the very end, as flower's do.
  return { name: 'case', rules, newestTurns: 0, choose: chooseAll }
}

const NO_DENIALS = policyOf({ ...DEFAULT_RULES, denials: { keep: 0 } })
const NO_GLANCES = policyOf({ ...DEFAULT_RULES, glances: { keep: 0, maxChars: 2000 } })
const NO_RESULTS = policyOf({ ...DEFAULT_RULES, results: { keep: 0, keepReads: 0, minChars: 2000 } })

interface View {
  readonly entries: readonly SessionStoreEntry[]
  readonly events: readonly StoreEvent[]
  /** `role: words` of each message, calls and results by their ids. */
  readonly outline: readonly string[]
  /** Result texts and error flags by call id. */
  readonly results: Readonly<Record<string, { readonly text: string; readonly isError: boolean }>>
}

/** What a store gives that holds these entries; it must be legal to send, and the same the second time. */
async function viewOf(
  recorded: readonly ClaudeEntry[],
  policy: Policy = policyOf(DEFAULT_RULES),
  archive?: string,
): Promise<View> {
  const inner = memoryStore()
  await inner.append(KEY, recorded as SessionStoreEntry[])
  const frozen = { ...inner, load: async (key: typeof KEY) => frozenCopy(await inner.load(key)) }
  const events: StoreEvent[] = []
  const folder = archive ?? join(temporaryFolder(), 'archive')
  const store = (): EconomyStore =>
    new EconomyStore(frozen, { policy, archive: folder, clock: () => 0, onEvent: (event) => events.push(event) })
  const entries = (await store().load(KEY)) ?? []
  expect(await store().load(KEY)).toEqual(entries)
  expect(inner.stored(KEY)).toEqual(recorded)
  const session = sessionOf(entries)
  const refused = [...check(session.main, { at: 'request' }), ...claudeCode.check(session, 'rest')].filter(
    ({ severity }) => severity === 'reject',
  )
  if (archive === undefined) expect(refused.map(({ rule, message }) => `${rule} ${message}`)).toEqual([])
  const results: Record<string, { text: string; isError: boolean }> = {}
  const outline = session.main.messages.map(({ role, blocks }) => {
    const words = blocks.map((block) => {
      if (block.type === 'call') return `call ${block.id}`
      if (block.type !== 'result')
        return 'text' in block ? `${block.type === 'text' ? '' : `${block.type} `}${block.text}` : block.type
      const parts = block.parts.map((part) => (part.type === 'text' ? part.text : part.type))
      results[block.callId] = { text: parts.join(' + '), isError: block.isError }
      return `result ${block.callId}`
    })
    return `${role}: ${words.join(' + ')}`
  })
  return { entries, events, outline, results }
}

function sessionOf(entries: readonly SessionStoreEntry[]) {
  const reader = claudeCodeReader()
  for (const entry of entries) reader.pushEntry(entry)
  return reader.finish()
}

function frozenCopy<Value>(value: Value): Value {
  if (typeof value === 'object' && value !== null) {
    for (const member of Object.values(value)) frozenCopy(member)
    Object.freeze(value)
  }
  return value
}

const uuids = (view: View): unknown[] => view.entries.map(({ uuid }) => uuid)
const task = said('p', null, 'build it')
const done = (parent: string): ClaudeEntry => answered('z', parent, [text('done')])
const refusal = (
  key: string | undefined,
  parent: string,
  ids: readonly string[],
  rest: ClaudeEntry = {},
): ClaudeEntry =>
  said(
    key,
    parent,
    ids.map((id) => result(id, 'not here', { is_error: true })),
    { toolDenialKind: 'permission-rule', ...rest },
  )

describe('1 an invented answer', () => {
  it('has the same identity at every load: who goes on behind it keeps the whole history', async () => {
    const inner = memoryStore()
    await inner.append(KEY, [task, answered('a', 'p', [call('t')])] as SessionStoreEntry[])
    const load = async () =>
      (await new EconomyStore(inner, { archive: join(temporaryFolder(), 'archive') }).load(KEY)) ?? []
    const first = await load()
    const leaf = first.at(-1)
    expect(leaf?.message).toMatchObject({ content: [{ type: 'tool_result', tool_use_id: 't' }] })
    await inner.append(KEY, [
      said('n', String(leaf?.uuid), 'go on'),
      answered('z', 'n', [text('building')]),
    ] as SessionStoreEntry[])
    const second = await load()
    expect(second.slice(0, first.length)).toEqual(first)
    expect(walkFrom('z', second)).toEqual(['z', 'n', leaf?.uuid, 'a', 'p'])
    expect(await load()).toEqual(second)
  })

  it('is no second one where the harness stored it too', async () => {
    const inner = memoryStore()
    await inner.append(KEY, [task, answered('a', 'p', [call('t')])] as SessionStoreEntry[])
    const load = async () =>
      (await new EconomyStore(inner, { archive: join(temporaryFolder(), 'archive') }).load(KEY)) ?? []
    const first = await load()
    const leaf = first.at(-1)
    await inner.append(KEY, [...first.slice(-1), said('n', String(leaf?.uuid), 'go on') as SessionStoreEntry])
    const second = await load()
    expect(second.slice(0, -1)).toEqual(first)
    expect(walkFrom('n', second)).toEqual(['n', leaf?.uuid, 'a', 'p'])
  })
})

/** A plain walk from child to parent, as the simplest loader does it. */
function walkFrom(leaf: string, entries: readonly SessionStoreEntry[]): unknown[] {
  const parents = new Map(entries.map(({ uuid, parentUuid }) => [uuid, parentUuid]))
  const walked: unknown[] = []
  for (let at: unknown = leaf; typeof at === 'string' && !walked.includes(at); at = parents.get(at)) walked.push(at)
  return walked
}

describe('2 a result that is not where its call is', () => {
  it('answers it, or becomes text; the call is answered once', async () => {
    const late = [
      task,
      answered('a', 'p', [call('t')]),
      said('n', 'a', 'wait'),
      said('r', 'n', [result('t', 'late words')]),
      done('r'),
    ]
    const early = [task, said('r', 'p', [result('t', 'early words')]), answered('a', 'r', [call('t')]), done('a')]
    for (const entries of [late, early]) {
      const view = await viewOf(entries)
      expect(view.outline.filter((line) => line.includes('result t'))).toHaveLength(1)
      expect(JSON.stringify(view.entries)).toMatch(/(late|early) words/)
    }
  })
})

describe('3 shapes that no provider takes', () => {
  it.each<readonly [string, readonly ClaudeEntry[], readonly string[]]>([
    ['an orphan', [said('r', 'p', [result('gone', 'its words')]), done('r')], ['user: its words']],
    [
      'a result in two entries',
      [
        answered('a', 'p', [call('t')]),
        said('r', 'a', [result('t', 'one')]),
        said('r2', 'r', [result('t', 'two')]),
        done('r2'),
      ],
      ['user: result t'],
    ],
    [
      'a result twice in one entry',
      [answered('a', 'p', [call('t')]), said('r', 'a', [result('t', 'one'), result('t', 'two')]), done('r')],
      ['user: result t'],
    ],
    [
      'a call id twice',
      [answered('a', 'p', [call('t'), call('t')]), said('r', 'a', [result('t', 'one')]), done('r')],
      ['user: result t'],
    ],
    ['no content', [said('n', 'p', []), answered('a', 'n', [text('so')])], []],
    [
      'results split by words',
      [
        answered('a', 'p', [call('t1'), call('t2')]),
        said('r', 'a', [result('t1', 'one')]),
        said('n', 'r', 'wait'),
        said('r2', 'n', [result('t2', 'two')]),
        done('r2'),
      ],
      ['user: result t2', 'user: result t1', 'user: wait'],
    ],
  ])('%s', async (_, entries, expected) => {
    const view = await viewOf([task, ...entries])
    expect(view.outline.filter((line) => line.startsWith('user: ')).slice(1)).toEqual(expected)
  })
})

describe('4 several answers in one message', () => {
  const calls = answered('a', 'p', [call('t1'), call('t2'), call('t3')])

  it('each refused call leaves, each good one stays', async () => {
    const answers = said(
      'r',
      'a',
      [result('t1', 'good'), result('t2', 'no', { is_error: true }), result('t3', 'no', { is_error: true })],
      {
        toolDenialKind: 'permission-rule',
      },
    )
    const view = await viewOf([task, calls, answers, done('r')], NO_DENIALS)
    expect(view.outline).toEqual(['user: build it', 'assistant: call t1', 'user: result t1', 'assistant: done'])
  })
})

describe('5 thinking that is left alone', () => {
  it('leaves with the denied call and with the error behind it', async () => {
    const denied = [
      task,
      answered('a', 'p', [thinking('why not')], 'm'),
      answered('c', 'a', [call('t')], 'm'),
      refusal('r', 'c', ['t']),
    ]
    expect((await viewOf([...denied, said('n', 'r', 'go on')], NO_DENIALS)).outline).toEqual([
      'user: build it',
      'user: go on',
    ])
    const error = answered('e', 'a', [text('API Error: 529')], undefined, { isApiErrorMessage: true })
    expect(
      (await viewOf([task, answered('a', 'p', [thinking('hm')], 'm'), error, said('n', 'e', 'again')])).outline,
    ).toEqual(['user: build it', 'user: again'])
  })
})

describe('6 references', () => {
  it('to what left name what is left', async () => {
    const view = await viewOf(
      [
        task,
        answered('a', 'p', [call('t')]),
        refusal('r', 'a', ['t']),
        said('n', 'r', 'go on', { sourceToolAssistantUUID: 'a' }),
        { type: 'last-prompt', leafUuid: 'r', sessionId: 's1' },
        other('b', null, 'system', { subtype: 'compact_boundary', logicalParentUuid: 'r' }),
        said('s', 'b', 'This session is being continued', { isCompactSummary: true }),
      ],
      NO_DENIALS,
    )
    const living = new Set(uuids(view))
    const named = view.entries.flatMap((entry) => [
      entry.parentUuid,
      entry.leafUuid,
      entry.logicalParentUuid,
      entry.sourceToolAssistantUUID,
    ])
    expect(named.filter((name) => typeof name === 'string' && !living.has(name))).toEqual([])
  })
})

describe('7 a progress line beside the answer', () => {
  it('does not hide the invented result from a plain walk', async () => {
    const view = await viewOf([
      task,
      answered('a', 'p', [call('t')]),
      other('g', 'a', 'progress', { data: { type: 'bash_progress' } }),
      said('n', 'a', 'go on'),
      done('n'),
    ])
    const invented = view.entries.find((entry) => JSON.stringify(entry).includes('"tool_use_id":"t"'))
    expect(walkFrom('z', view.entries)).toContain(invented?.uuid)
  })
})

describe('8 entries without uuid', () => {
  it('a refused call and an error leave like others', async () => {
    const view = await viewOf(
      [task, answered(undefined, 'p', [call('t')]), refusal('r', 'p', ['t']), done('r')],
      NO_DENIALS,
    )
    expect(view.outline).toEqual(['user: build it', 'assistant: done'])
    const error = answered(undefined, 'p', [text('API Error: 529')], undefined, { isApiErrorMessage: true })
    expect((await viewOf([task, error, said('n', 'p', 'again')])).outline).toEqual(['user: build it', 'user: again'])
  })
})

describe('9 what is said about a call that left', () => {
  it('leaves with it', async () => {
    const hook = other('h', 'r', 'attachment', {
      attachment: { type: 'hook_blocking_error', toolUseID: 't', hookName: 'PreToolUse:Bash' },
      rendered: [{ content: 'the hook said no' }],
      renderedRole: 'system',
    })
    const view = await viewOf(
      [task, answered('a', 'p', [call('t')]), refusal('r', 'a', ['t']), hook, done('h')],
      NO_DENIALS,
    )
    expect(JSON.stringify(view.entries)).not.toContain('the hook said no')
    expect(view.outline).toEqual(['user: build it', 'assistant: done'])
  })
})

describe('10 a broken chain', () => {
  it('keeps what came before a parent that is gone', async () => {
    const view = await viewOf([task, answered('a', 'p', [text('first')]), said('n', 'lost', 'second'), done('n')])
    expect(view.outline).toEqual(['user: build it', 'assistant: first', 'user: second', 'assistant: done'])
  })

  it('ends where parents go round in a circle', async () => {
    const view = await viewOf([task, answered('a', 'n', [text('first')]), said('n', 'a', 'second'), done('n')])
    expect(view.outline.slice(-2)).toEqual(['user: second', 'assistant: done'])
    const living = new Set(uuids(view))
    for (const { parentUuid } of view.entries) expect(parentUuid === null || living.has(String(parentUuid))).toBe(true)
  })
})

describe('11 threads beside the main one', () => {
  it('use up nothing of its window', async () => {
    const glance = (key: string, parent: string, rest: ClaudeEntry = {}): ClaudeEntry[] => [
      answered(key, parent, [call(`t${key}`)], undefined, rest),
      said(`r${key}`, key, [result(`t${key}`, `listing of ${key}: ${'name '.repeat(60)}`)], rest),
    ]
    const side = { isSidechain: true, agentId: 'a1' }
    const entries = [
      task,
      ...glance('a', 'p'),
      ...glance('b', 'p'),
      ...glance('s', 'p', side),
      said('n', 'ra', 'go on'),
    ]
    const view = await viewOf(entries, policyOf({ glances: { keep: 1, maxChars: 2000 } }))
    expect(view.results.ta?.text).toContain('listing of a')
  })
})

describe('12 what a compaction cut off', () => {
  it('is left alone', async () => {
    const before = [
      task,
      answered('a', 'p', [call('t')]),
      said('r', 'a', [result('t', LONG)]),
      answered('o', 'r', [call('open')]),
    ]
    const after = [
      other('b', null, 'system', { subtype: 'compact_boundary', logicalParentUuid: 'o' }),
      said('s', 'b', 'This session is being continued', { isCompactSummary: true }),
      answered('x', 's', [text('so')]),
      said('n', 'x', 'go on'),
    ]
    const view = await viewOf([...before, ...after], NO_RESULTS)
    expect(view.entries).toEqual([...before, ...after])
  })
})

describe('13 a load that cannot go well', () => {
  const entries = [
    task,
    answered('a', 'p', [call('t', 'Read', { file_path: '/a' })]),
    said('r', 'a', [result('t', LONG)]),
    done('r'),
  ]

  it('archives a lone surrogate', async () => {
    const odd = said('r', 'a', [result('t', `\ud83d${'e'.repeat(2500)}`)])
    const folder = join(temporaryFolder(), 'archive')
    const view = await viewOf([...entries.slice(0, 2), odd, done('r')], NO_RESULTS, folder)
    const ref = pointerReference(view.results.t?.text ?? '')
    const archive = await openArchive(folder, { readOnly: true })
    expect(archive.get(ref ?? '')?.content).toBe(`\ud83d${'e'.repeat(2500)}`)
    archive.close()
  })

  it('gives the session when the archive is damaged, full or unwritable', async () => {
    const folder = temporaryFolder()
    writeFileSync(join(folder, 'archive.sqlite'), 'half an archive, as a crash of another program might leave it')
    for (const archive of [folder, join(folder, 'archive.sqlite', 'below a file'), '/dev/full']) {
      const view = await viewOf(entries, NO_RESULTS, archive)
      expect(view.entries).toEqual(entries)
      expect(view.events).toMatchObject([
        { type: 'fallback', doing: 'archive' },
        { type: 'fallback', doing: 'archive' },
      ])
    }
  })

  it('keeps parts that are no text', async () => {
    const parts = [text(LONG), { type: 'tool_reference', tool_name: 'Grep' }]
    const view = await viewOf([...entries.slice(0, 2), said('r', 'a', [result('t', parts)]), done('r')], NO_RESULTS)
    expect(JSON.stringify(view.entries)).toContain('tool_reference')
  })
})

describe('14 a glance', () => {
  const glance = (content: unknown, rest: ClaudeEntry = {}): ClaudeEntry[] => [
    task,
    answered('a', 'p', [call('t', 'Bash', { command: 'git status' })]),
    said('r', 'a', [result('t', content, rest)]),
    done('r'),
  ]

  it('that was interrupted says so, without the error flag', async () => {
    const view = await viewOf(
      glance(`${LONG.slice(0, 500)}\n[Request interrupted by user for tool use]`, { is_error: true }),
      NO_GLANCES,
    )
    expect(view.results.t).toMatchObject({
      isError: false,
      text: expect.stringMatching(/^\[interrupted: [\s\S]*a line of output/),
    })
  })

  it('that was spilled keeps its pointer', async () => {
    const pointer = '[spillway aaaaaaaaaaaa: Bash git status, 9,000 characters. Back: .spillway/spill/aaaaaaaaaaaa.txt]'
    expect((await viewOf(glance(pointer), NO_GLANCES)).results.t?.text).toBe(pointer)
  })

  it('that failed does not claim an error without saying which', async () => {
    const { t } = (await viewOf(glance(`fatal: ${LONG.slice(0, 1000)}`, { is_error: true }), NO_GLANCES)).results
    expect(t?.isError === false || /fatal|fail/.test(t?.text ?? '')).toBe(true)
  })
})

describe.skipIf(!hasCases)('the labelled cases', () => {
  interface Labelled {
    readonly id: string
    readonly verdict?: 'keep' | 'neutral' | 'defect'
    readonly input?: unknown
  }
  const casesIn = (name: string): Labelled[] => {
    const file = join(CASES, 'behaviour', name)
    return existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')).cases ?? []) : []
  }

  /** What each case of the store wants; of a case that is not known here, nothing is claimed. */
  const STORE_CASES: Readonly<Record<string, (store: SqliteSessionStore) => Promise<void>>> = {
    ...Object.fromEntries(
      [1000, 30_000, 40_000, 260_000].map((count) => [
        `one-batch-${count}`,
        async (store: SqliteSessionStore) => {
          await store.append(
            KEY,
            Array.from({ length: count }, (_, index) => ({ type: 'user', uuid: `u${index}` })),
          )
          expect(await store.load(KEY)).toHaveLength(count)
        },
      ]),
    ),
    'load-missing': async (store) => expect(await store.load(KEY)).toBeNull(),
    unserialisable: async (store) => {
      await expect(
        store.append(KEY, [
          { type: 'user', uuid: 'u' },
          { type: 'user', uuid: 'v', value: 1n },
        ]),
      ).rejects.toMatchObject({ code: 'usage' })
      expect(await store.load(KEY)).toBeNull()
    },
  }

  it.each(casesIn('store.json').map(({ id }) => id))('store: %s', async (id) => {
    const store = new SqliteSessionStore(join(temporaryFolder(), 'store.sqlite'))
    try {
      expect(Object.keys(STORE_CASES)).toContain(id)
      await STORE_CASES[id]?.(store)
    } finally {
      await store.close()
    }
  })

  const files = existsSync(join(CASES, 'behaviour'))
    ? readdirSync(join(CASES, 'behaviour')).filter((name) => name.endsWith('.json'))
    : []
  const sessions = files.flatMap((name) =>
    casesIn(name).flatMap(({ id, input }) => (isTranscript(input) ? [[`${name}: ${id}`, input] as const] : [])),
  )
  it.each(sessions)('%s is legal, whole and stable through a store', async (_, input) => {
    const view = await viewOf(expanded(input) as ClaudeEntry[], NO_DENIALS)
    expect(view.events.filter(({ type }) => type === 'fallback')).toEqual([])
  })

  it('are there', () => {
    expect(sessions.length).toBeGreaterThan(40)
  })
})

function isTranscript(input: unknown): input is readonly ClaudeEntry[] {
  return (
    Array.isArray(input) &&
    input.length > 0 &&
    input.every((entry) => typeof entry?.type === 'string' && 'message' in entry)
  )
}

/** Strings over 300 characters are written as `{repeat, chars}`. */
function expanded(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(expanded)
  if (value === null || typeof value !== 'object') return value
  const { repeat, chars } = value as Record<string, unknown>
  if (typeof repeat === 'string' && typeof chars === 'number')
    return repeat.repeat(chars / repeat.length + 1).slice(0, chars)
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, expanded(member)]))
}

if (!hasCases) noticeMissing('../shared/cases')
