import { execFileSync, spawn } from 'node:child_process'
import { appendFileSync, chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { readSession } from './read.ts'
import { openSource, type Source } from './source.ts'

let folder = ''
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'spillway-source-'))
})
afterEach(() => rmSync(folder, { recursive: true }))

async function textOf(source: Source): Promise<string> {
  const chunks: Buffer[] = []
  for await (const chunk of source.chunks()) chunks.push(chunk)
  return Buffer.concat(chunks).toString()
}

function written(name: string, content: string | Buffer): string {
  const file = join(folder, name)
  writeFileSync(file, content)
  return file
}

const ENTRY = '{"type":"user","uuid":"u","parentUuid":null,"sessionId":"s","message":{"role":"user","content":"Go"}}\n'

describe('openSource', () => {
  it('reads plain and compressed files, told by their content', async () => {
    expect(await textOf(await openSource(written('a.jsonl.gz', 'plain')))).toBe('plain')
    expect(await textOf(await openSource(written('b.jsonl', gzipSync('packed'))))).toBe('packed')
    const twoMembers = Buffer.concat([gzipSync('one'), gzipSync('two')])
    expect(await textOf(await openSource(written('c', twoMembers)))).toBe('onetwo')
    for (const short of ['', 'x', '\u001f']) expect(await textOf(await openSource(written('d', short)))).toBe(short)
  })

  it('reads a file as it stood when it was opened', async () => {
    const file = written('a.jsonl', 'before')
    const source = await openSource(file)
    appendFileSync(file, ' and after')
    expect(await textOf(source)).toBe('before')
    expect(await textOf(source)).toBe('before')
  })

  it('keeps a pipe when it is needed twice', async () => {
    const pipe = join(folder, 'pipe')
    execFileSync('mkfifo', [pipe])
    const writing = spawn('sh', ['-c', `printf 'through the pipe' > '${pipe}'`])
    const source = await openSource(pipe, { rereadable: true })
    expect(await textOf(source)).toBe('through the pipe')
    expect(await textOf(source)).toBe('through the pipe')
    writing.kill()
  })

  it('names the file and what is wrong with it', async () => {
    await expect(openSource(join(folder, 'missing'))).rejects.toThrow(/missing: no such file/)
    await expect(openSource(folder)).rejects.toThrow(/is a folder; expected a session file/)
    const cut = written('cut.gz', gzipSync('x'.repeat(10_000)).subarray(0, 20))
    await expect(textOf(await openSource(cut))).rejects.toThrow(/cut\.gz: the gzip data ends too early/)
    const packed = gzipSync(Buffer.from('text '.repeat(1000)))
    packed.fill(0xff, 15, 25)
    await expect(textOf(await openSource(written('bad.gz', packed)))).rejects.toThrow(/bad\.gz: damaged gzip data/)
  })

  it.skipIf(process.getuid?.() === 0)('says when reading is not allowed', async () => {
    const file = written('secret.jsonl', ENTRY)
    chmodSync(file, 0)
    await expect(textOf(await openSource(file))).rejects.toThrow(/secret\.jsonl: permission denied/)
  })
})

describe('readSession', () => {
  it('finds the format behind damage, and keeps count of every line', async () => {
    const damage = Array.from({ length: 30 }, () => 'not json\n').join('')
    const { format, session, bytes } = await readSession(await openSource(written('a.jsonl', damage + ENTRY)))
    expect(format.name).toBe('claude-code')
    expect(session.facts.lines).toBe(31)
    expect(session.facts.badLines).toHaveLength(30)
    expect(bytes).toBe(damage.length + ENTRY.length)
  })

  it('says what it expected where nothing is a session', async () => {
    const file = written('other.jsonl', '{"a":1}\n[2]\n')
    await expect(readSession(await openSource(file))).rejects.toThrow(
      /other\.jsonl: 1 entries of an unknown kind; expected a session of claude-code, pi/,
    )
  })
})
