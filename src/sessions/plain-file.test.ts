import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { childThreads } from './children.ts'
import { isPlainFile, readPlainFile } from './plain-file.ts'
import { readSession } from './read.ts'
import { selectSessions, subagentsOf } from './select.ts'
import { openSource } from './source.ts'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'spillway-plain-'))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

function pipeAt(path: string): string {
  execFileSync('mkfifo', [path])
  return path
}

const LINE = JSON.stringify({ type: 'user', uuid: 'u', parentUuid: null, message: { role: 'user', content: 'hi' } })
const PI = [
  { type: 'session', version: 3, id: 's', cwd: '/', timestamp: '2026-01-01T00:00:00.000Z' },
  { type: 'message', id: 'a', parentId: null, message: { role: 'user', content: 'hi' } },
]

describe('plain files', () => {
  it('are read; a pipe, a folder and a link in a circle are none and make nobody wait', () => {
    const file = join(folder, 'file')
    writeFileSync(file, 'x')
    symlinkSync(file, join(folder, 'link'))
    symlinkSync(join(folder, 'circle'), join(folder, 'circle'))
    expect(readPlainFile(join(folder, 'link')).toString()).toBe('x')
    expect(() => readPlainFile(pipeAt(join(folder, 'pipe')))).toThrow(/is no plain file/)
    expect(() => readPlainFile(folder)).toThrow(/is no plain file/)
    expect(['file', 'link', 'pipe', 'circle', '.', 'none'].map((name) => isPlainFile(join(folder, name)))).toEqual([
      true,
      true,
      false,
      false,
      false,
      false,
    ])
  })
})

describe('what stands beside a session', () => {
  it('counts only where it is a plain file', () => {
    const file = join(folder, 's.jsonl')
    writeFileSync(file, `${LINE}\n`)
    execFileSync('mkdir', ['-p', join(folder, 's', 'subagents')])
    pipeAt(join(folder, 's', 'subagents', 'agent-a.jsonl'))
    symlinkSync('agent-b.jsonl', join(folder, 's', 'subagents', 'agent-b.jsonl'))
    pipeAt(join(folder, 'pipe.jsonl'))
    expect(subagentsOf(file)).toEqual([])
    const machine = { environment: {}, home: folder, cwd: folder }
    expect(selectSessions([folder], machine).map((each) => each.file)).toEqual([file])
  })

  it("OpenClaw's list of sessions leads to no pipe and to no file of another folder", async () => {
    const home = join(folder, 'sessions')
    execFileSync('mkdir', ['-p', home])
    const file = join(home, 's.jsonl')
    const lines = PI.map((entry) => `${JSON.stringify(entry)}\n`).join('')
    for (const path of [file, join(folder, 'elsewhere.jsonl'), join(home, 'child.jsonl')]) writeFileSync(path, lines)
    const registry = join(home, 'sessions.json')
    const child = (sessionId: string) => ({ sessionId, spawnedBy: 'agent:main:main' })
    writeFileSync(
      registry,
      JSON.stringify({
        'agent:main:main': { sessionId: 's' },
        'agent:main:subagent:a': child('../elsewhere'),
        'agent:main:subagent:b': child('child'),
        'agent:main:subagent:c': child('pipe'),
      }),
    )
    pipeAt(join(home, 'pipe.jsonl'))
    const threads = async () => childThreads(await readSession(await openSource(file)))
    expect((await threads()).map(({ ids }) => ids)).toEqual([['agent:main:subagent:b', 'child']])
    rmSync(registry)
    pipeAt(registry)
    expect(await threads()).toEqual([])
  })
})
