import { mkdirSync, mkdtempSync, rmSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { countCalls, describeSession, discoverSessions, type Machine } from './discover.ts'
import { selectSessions } from './select.ts'

let home = ''
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'spillway-select-'))
})
afterEach(() => rmSync(home, { recursive: true }))

const machine = (cwd = '/work here'): Machine => ({ environment: {}, home, cwd })

const user = (cwd: string) => ({
  type: 'user',
  uuid: 'u',
  parentUuid: null,
  sessionId: 's',
  cwd,
  message: { role: 'user', content: 'Go' },
})
const assistant = (filler: string) => ({
  type: 'assistant',
  uuid: 'a',
  parentUuid: 'u',
  sessionId: 's',
  message: {
    id: 'm',
    role: 'assistant',
    model: 'claude-opus-5-5',
    content: [{ type: 'tool_use', id: 't', name: 'Bash', input: { command: filler } }],
    usage: { input_tokens: 1, cache_read_input_tokens: 20, cache_creation_input_tokens: 300, output_tokens: 4000 },
  },
})

function place(path: string, age: number, ...entries: object[]): string {
  const file = join(home, path)
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, entries.map((entry) => `${JSON.stringify(entry)}\n`).join(''))
  utimesSync(file, 1_700_000_000 - age, 1_700_000_000 - age)
  return file
}

describe('discoverSessions', () => {
  it('puts this folder first, then the newest', () => {
    place('.claude/projects/-other/new.jsonl', 1, user('/other'))
    place('.claude/projects/-work-here/old.jsonl', 50, user('/work here'))
    place('.pi/agent/sessions/--work here--/2026-01-01T00-00_pi-id.jsonl', 60, {
      type: 'session',
      id: 'pi-id',
      cwd: '/work here',
    })
    place('.openclaw/agents/main/sessions/claw.jsonl', 40, { type: 'session', id: 'claw', cwd: '/work here' })
    place('.openclaw/agents/main/sessions/claw.trajectory.jsonl', 0, {})
    place('.claude/projects/-work-here/old/subagents/agent-1.jsonl', 0, user('/work here'))
    expect(discoverSessions(machine()).map(({ id, here }) => [id, here])).toEqual([
      ['claw', true],
      ['old', true],
      ['pi-id', true],
      ['new', false],
    ])
  })

  it('follows the environment variables of the harnesses', () => {
    place('config/projects/-x/one.jsonl', 1, user('/x'))
    place('claw/agents/a/sessions/two.jsonl', 2, { type: 'session', id: 'two' })
    place('pi/sessions/--x--/t_three.jsonl', 3, { type: 'session', id: 'three' })
    const environment = {
      CLAUDE_CONFIG_DIR: join(home, 'config'),
      OPENCLAW_STATE_DIR: join(home, 'claw'),
      PI_CODING_AGENT_DIR: join(home, 'pi'),
    }
    const found = discoverSessions({ environment, home: '/nonexistent', cwd: '/' })
    expect(found.map(({ id, format }) => [id, format])).toEqual([
      ['one', 'claude-code'],
      ['two', 'openclaw'],
      ['three', 'pi'],
    ])
  })
})

describe('describeSession', () => {
  it('finds folder, model and tokens at the ends of a long file, and counts calls over all of it', () => {
    const filler = Array.from({ length: 40 }, () => assistant('x'.repeat(20_000)))
    place('.claude/projects/-x/one.jsonl', 1, user('/x'), ...filler, assistant('ls'))
    const [found] = discoverSessions(machine())
    if (!found) throw new Error('nothing found')
    expect(describeSession(found)).toEqual({ cwd: '/x', model: 'claude-opus-5-5', tokens: 4321 })
    expect(countCalls(found, machine())).toBe(41)
  })

  it('looks further where the last line is longer than a glimpse', () => {
    place('.claude/projects/-x/one.jsonl', 1, user('/x'), assistant('ls'), {
      ...user('/x'),
      filler: 'y'.repeat(200_000),
    })
    const [found] = discoverSessions(machine())
    expect(found && describeSession(found).tokens).toBe(4321)
  })

  it('does not count what only looks like a call inside a text', () => {
    place('.claude/projects/-x/one.jsonl', 1, { ...user('/x'), text: '{"type":"tool_use"}' }, assistant('ls'))
    const [found] = discoverSessions(machine())
    expect(found && countCalls(found, machine())).toBe(1)
  })

  it('describes damage as nothing', () => {
    const file = place('.claude/projects/-x/one.jsonl', 1)
    writeFileSync(file, Buffer.alloc(100_000))
    const [found] = discoverSessions(machine())
    expect(found && describeSession(found)).toEqual({})
  })
})

describe('selectSessions', () => {
  it('takes a path before an id, and the latest of this folder before any other', () => {
    const here = place('.claude/projects/-work-here/aaaa.jsonl', 90, user('/work here'))
    place('.claude/projects/-other/bbbb.jsonl', 1, user('/other'))
    expect(selectSessions(['latest'], machine())).toEqual([{ file: here, subagents: [] }])
    const named = place('aaaa', 1, user('/'))
    expect(selectSessions([named], machine())[0]?.file).toBe(named)
  })

  it('takes a whole id although it is the start of another', () => {
    const file = place('.claude/projects/-x/abc.jsonl', 1, user('/x'))
    place('.claude/projects/-x/abcd.jsonl', 1, user('/x'))
    expect(selectSessions(['abc'], machine())[0]?.file).toBe(file)
    expect(() => selectSessions(['ab'], machine())).toThrow(/ab: names 2 sessions, give more of the id:\n {2}abcd? /)
  })

  it('finds the subagents of a session, and a session by its own folder', () => {
    const file = place('project/one.jsonl', 1, user('/x'))
    const agent = place('project/one/subagents/agent-1.jsonl', 1, user('/x'))
    place('project/one/subagents/agent-1.meta.json', 1, {})
    place('project/two.jsonl', 1, user('/x'))
    expect(selectSessions([join(home, 'project')], machine())).toEqual([
      { file, subagents: [agent] },
      { file: join(home, 'project/two.jsonl'), subagents: [] },
    ])
    expect(selectSessions([join(home, 'project/one/')], machine())).toEqual([{ file, subagents: [agent] }])
    expect(selectSessions([file, file], machine())).toHaveLength(1)
  })

  it('says what it did not find', () => {
    mkdirSync(join(home, 'empty'))
    symlinkSync(join(home, 'gone'), join(home, 'broken.jsonl'))
    expect(() => selectSessions([join(home, 'empty')], machine())).toThrow(/empty: no session file \(\*\.jsonl\)/)
    expect(() => selectSessions([join(home, 'broken.jsonl')], machine())).toThrow(/broken\.jsonl: no such file/)
    expect(() => selectSessions(['latest'], machine())).toThrow(/no recorded session on this machine/)
    expect(() => selectSessions(['abc'], machine())).toThrow(/abc: no such file and no session id/)
  })
})
