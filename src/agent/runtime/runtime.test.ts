import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { agentSpec } from '../roles/agent-spec.ts'
import { Runtime } from './runtime.ts'

const SPEC = agentSpec({ name: 'a', instructions: '' })

let home: string
beforeEach(() => {
  home = realpathSync(mkdtempSync(join(tmpdir(), 'spillway-runtime-')))
})
afterEach(() => rmSync(home, { recursive: true, force: true }))

describe('a workspace', () => {
  it('is a folder', () => {
    writeFileSync(join(home, 'file'), '')
    for (const workspace of [join(home, 'file'), join(home, 'nothing')]) {
      expect(() => new Runtime({ workspace })).toThrow(/is no folder/)
    }
  })

  it('is known by its real path: the binary names sessions by it', () => {
    mkdirSync(join(home, 'real'))
    symlinkSync(join(home, 'real'), join(home, 'link'))
    const runtime = new Runtime({ workspace: join(home, 'link') })
    expect(runtime.workspace).toBe(join(home, 'real'))
    expect(runtime.runDirectory).toBe(join(home, 'real/.spillway/run'))
  })

  it('from a stranger cannot lead what is recorded somewhere else', async () => {
    mkdirSync(join(home, 'elsewhere'))
    mkdirSync(join(home, 'repo'))
    symlinkSync(join(home, 'elsewhere'), join(home, 'repo/.spillway'))
    const runtime = new Runtime({ workspace: join(home, 'repo') })
    await expect(runtime.run(SPEC, 'x')).rejects.toThrow(/not a folder of yours/)
  })
})

describe('a runtime in which nothing runs', () => {
  it('hears nobody, knows no session, and closes at once, twice', async () => {
    const runtime = new Runtime({ workspace: home })
    expect([runtime.interrupt('x'), runtime.lastSession('step')]).toEqual([false, undefined])
    runtime.rescue()
    await runtime.close()
    await runtime.close()
  })
})
