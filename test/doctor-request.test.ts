/** `doctor` on request files: found, judged, repaired into a new file; what is no request is one clear line. */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, describe, expect, it } from 'vitest'
import { openArchive } from '../src/archive/index.ts'
import type { JsonObject, JsonValue } from '../src/core/transcript.ts'
import { doctorSession } from '../src/sessions/doctor.ts'
import { isSick } from '../src/sessions/doctor-report.ts'
import { restoreSession } from '../src/sessions/restore.ts'
import { temporaryFolder } from './support/archive.ts'
import {
  asChat,
  asMessages,
  asModelMessages,
  asResponses,
  asUiMessages,
  type Conversation,
} from './support/generated-requests.ts'

let folder = ''
beforeEach(() => {
  folder = temporaryFolder()
})

const archive = (): string => join(folder, 'archive')

function written(value: JsonValue | string, name = 'request.json'): string {
  const file = join(folder, name)
  writeFileSync(file, typeof value === 'string' ? value : JSON.stringify(value, null, 2))
  return file
}

async function fixed(value: JsonValue | string, model?: string) {
  const file = written(value)
  const fix = join(folder, 'fixed.json')
  const options = { fix, archive: archive(), ...(model === undefined ? {} : { model }) }
  const report = await doctorSession(file, options)
  return { report, text: readFileSync(fix, 'utf8') }
}

const call = (id: string): JsonObject => ({ type: 'tool_use', id, name: 'Read', input: { file_path: '/a' } })
const request = (...messages: JsonValue[]): JsonObject => ({ model: 'claude-sonnet-4-5', tools: [], messages })
const user = (content: JsonValue): JsonObject => ({ role: 'user', content })
const assistant = (content: JsonValue): JsonObject => ({ role: 'assistant', content })

describe('doctor on a request', () => {
  const sick: Conversation = [
    { kind: 'user', text: 'task', picture: false },
    {
      kind: 'turn',
      thinking: 'none',
      text: 'so',
      calls: [{ tool: 'Bash', big: false, answer: 'missing' }],
      server: false,
    },
    { kind: 'orphan' },
    { kind: 'empty' },
    { kind: 'user', text: 'and now?', picture: false },
  ]
  it.each([
    ['messages', asMessages(sick)],
    ['chat', asChat(sick)],
    ['responses', asResponses(sick)],
    ['ai-sdk', asModelMessages(sick)],
  ])('%s: names what is wrong, writes a legal copy, and the archive undoes it', async (name, value) => {
    const { report, text } = await fixed(value)
    expect(report.format).toBe(name)
    expect(report.violations.filter(({ severity }) => severity === 'reject').length).toBeGreaterThan(0)
    expect(report.repairs.length).toBeGreaterThan(0)
    expect(isSick({ ...report, remaining: report.remaining?.filter(({ rule }) => rule !== 'A01') ?? null })).toBe(false)
    expect(text).toContain('lost words')
    const again = await doctorSession(report.out ?? '')
    expect(again).toMatchObject({ format: name, repairs: [] })
    const original = readFileSync(join(folder, 'request.json'))
    const restored = join(folder, 'restored.json')
    await restoreSession(report.out ?? '', { out: restored, archive: archive() })
    expect(readFileSync(restored).equals(original)).toBe(true)
  })

  it('ai-sdk-ui: examined and written as it is when healthy', async () => {
    const healthy: Conversation = [{ kind: 'user', text: 'task', picture: false }]
    const { report, text } = await fixed(asUiMessages(healthy))
    expect(report).toMatchObject({ format: 'ai-sdk-ui', violations: [], repairs: [], remaining: [] })
    expect(text).toBe(readFileSync(join(folder, 'request.json'), 'utf8'))
  })

  it('keeps every character that no repair touches', async () => {
    const kept = '{"role":  "user", "content": "caf\\u00e9 \\/", "odd": 9007199254740993}'
    const text = `{"n": 1e2,\n "messages": [\n  ${kept},\n  {"role":"assistant","content":[]},\n  ${kept}\n ], "z": [1 ,2]}\n`
    const { text: after } = await fixed(text)
    expect(after).toBe(`{"n": 1e2,\n "messages": [\n  ${kept},\n  ${kept}\n ], "z": [1 ,2]}\n`)
  })

  it('what leaves can be recalled', async () => {
    const twice = ['once', 'again'].map((content) => ({ type: 'tool_result', tool_use_id: 'a', content }))
    const { report, text } = await fixed(request(user('q'), assistant([call('a')]), user(twice)))
    expect(report.repairs).toEqual([{ rule: 'A12', line: null, what: expect.stringMatching(/^messages\.2: /) }])
    expect(text).not.toContain('again')
    const opened = await openArchive(archive(), { readOnly: true })
    expect(opened.search({ words: 'again' })).toHaveLength(1)
    opened.close()
  })

  it('A04: a request that a model would not go on with ends with the user; a bare history may end anywhere', async () => {
    const messages = [user('q'), assistant('The answer is ')]
    const { report, text } = await fixed({ model: 'claude-opus-5-5', messages })
    expect(report.violations).toEqual([expect.objectContaining({ rule: 'A04', line: null, id: 'messages.1' })])
    expect(report.repairs).toEqual([{ rule: 'A04', line: null, what: expect.stringContaining('messages.1') }])
    expect(report.remaining).toEqual([])
    expect(JSON.parse(text).messages.at(-1)).toEqual(user([{ type: 'text', text: 'Continue.' }]))
    expect(await doctorSession(written(messages))).toMatchObject({ violations: [], repairs: [] })
  })

  it('A05: white space at the end of a begun answer leaves', async () => {
    const { report, text } = await fixed(request(user('q'), assistant('The answer is \n')))
    expect(report.violations.map(({ rule }) => rule)).toEqual(['A05'])
    expect(JSON.parse(text).messages.at(-1)).toEqual(assistant('The answer is'))
    expect(report.remaining).toEqual([])
  })

  it('A53: several refused images of one result leave side by side', async () => {
    const head = Buffer.from(
      '89504e470d0a1a0a0000000d49484452000023280000000a08020000000000000049454e44ae426082',
      'hex',
    )
    const source = { type: 'base64', media_type: 'image/png', data: head.toString('base64') }
    const image = { type: 'image', source }
    const result = { type: 'tool_result', tool_use_id: 'a', content: [image, { type: 'text', text: 'two' }, image] }
    const { report, text } = await fixed(request(user('q'), assistant([call('a')]), user([result])))
    expect(report.violations.map(({ rule }) => rule).filter((rule) => rule === 'A53')).toHaveLength(2)
    expect(isSick(report)).toBe(false)
    expect(text.split('9000x10')).toHaveLength(3)
  })

  it('--model decides, and the file still names its own', async () => {
    const given = request(user('q'), assistant('The answer is'))
    expect((await doctorSession(written(given))).violations).toEqual([])
    const { report, text } = await fixed(given, 'claude-opus-5-5')
    expect(report.violations.map(({ rule }) => rule)).toEqual(['A04'])
    expect(JSON.parse(text)).toMatchObject({ model: 'claude-sonnet-4-5', messages: [{}, {}, { role: 'user' }] })
  })

  it('plain texts are what their model or their first message says', async () => {
    const texts = [user('q'), assistant('a'), user('r')]
    expect((await doctorSession(written(texts))).format).toBe('messages')
    expect((await doctorSession(written({ model: 'gpt-5', messages: texts }))).format).toBe('chat')
    expect((await doctorSession(written([{ role: 'system', content: 's' }, ...texts]))).format).toBe('chat')
  })

  it('never overwrites', async () => {
    const file = written(request(user('q')))
    await expect(doctorSession(file, { fix: file, archive: archive() })).rejects.toThrow(/exists already/)
    expect(readdirSync(folder)).toEqual(['request.json'])
  })
})

describe('what is no request', () => {
  const deep = 200_000
  it.each([
    [
      'JSON without a conversation',
      '{"a": [1]}',
      /JSON that holds no conversation; expected a request of messages, chat/,
    ],
    ['an empty list', '[]', /JSON that holds no conversation/],
    ['a number', '7', /holds no conversation/],
    ['broken JSON', `{"messages": [\n {"role": "user",\n "content": "x" 1}]}${' '.repeat(50)}`, /up to line 3$/],
    ['cut JSON', '{"messages": [{"role": "user"', /or a request in JSON/],
    ['words', 'hello', /no JSON object on any line; expected a session/],
    ['a deep value', `${'['.repeat(deep)}${']'.repeat(deep)}`, /nested deeper than 500 levels/],
    [
      'a deep value in a message',
      `[{"role":"user","content":[{"type":"x","v":${'['.repeat(deep)}${']'.repeat(deep)}}]}]`,
      /nested deeper/,
    ],
  ])('%s is one clear line', async (_, text, says) => {
    const error = await doctorSession(written(text)).catch((thrown: unknown) => thrown as Error)
    expect(error).toMatchObject({ code: 'unreadable', message: expect.stringMatching(says) })
    expect((error as Error).message).not.toContain('\n')
  })

  it('bytes that are no text are refused', async () => {
    const file = join(folder, 'request.json')
    writeFileSync(
      file,
      Buffer.concat([Buffer.from('[{"role":"user","content":"'), Buffer.from([0xff]), Buffer.from('"}]')]),
    )
    await expect(doctorSession(file)).rejects.toThrow(/no UTF-8 text/)
  })

  it('ten thousand messages take no time', async () => {
    const start = performance.now()
    const many = Array.from({ length: 10_000 }, (_, index) =>
      index % 2 ? assistant([call(`a${index}`)]) : user('go on'),
    )
    const { report } = await fixed(request(...many))
    expect(report.repairs).toHaveLength(5000)
    expect(performance.now() - start).toBeLessThan(20_000)
  })
})
