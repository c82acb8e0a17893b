import { execFileSync } from 'node:child_process'
import { chmodSync, mkdirSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, it, onTestFinished } from 'vitest'
import { temporaryFolder } from '../../../test/support/archive.ts'
import { askHooks, replacedBy, type ToolCall } from '../../../test/support/hook-calls.ts'
import { type Archive, openArchive } from '../../archive/index.ts'
import { pointerReference, referencesIn } from '../../core/pointer.ts'
import { referenceOf } from '../../core/reference.ts'
import type { HookEvent } from './hook-event.ts'
import type { Hooks } from './pre-tool-use.ts'
import { type SpillGuardOptions, spillGuard } from './spill-guard.ts'

interface Bench {
  readonly hooks: Hooks
  readonly archive: Archive
  readonly workspace: string
  readonly events: HookEvent[]
  answer(call: Partial<ToolCall> & { readonly response: unknown }): Promise<unknown>
}

async function bench(options: Partial<SpillGuardOptions> = {}): Promise<Bench> {
  const workspace = temporaryFolder()
  const archive = await openArchive(join(workspace, '.spillway'))
  onTestFinished(() => archive.close())
  const events: HookEvent[] = []
  const hooks = spillGuard({ archive, onEvent: (event) => events.push(event), ...options })
  return {
    hooks,
    archive,
    workspace,
    events,
    answer: (call) => replacedBy(hooks, { tool: 'Bash', input: { command: 'x' }, cwd: workspace, ...call }),
  }
}

const bash = (stdout: string) => ({ stdout, stderr: '', interrupted: false, isImage: false })
const lines = (count: number, width = 20) =>
  Array.from({ length: count }, (_, at) => `${at}`.padEnd(width, '.')).join('\n')
const png = (bytes: number) => Buffer.concat([Buffer.from('89504e470d0a1a0a', 'hex'), Buffer.alloc(bytes - 8, 7)])

describe('spillGuard', () => {
  it('keeps the original readable and leaves pointer, beginning and end; the shape stays', async () => {
    const { answer, archive, events, workspace } = await bench()
    const text = `start\n${lines(500)}\nall is well`
    const response = { ...bash(text), somethingNew: { nested: [1, 'two'] } }
    const replaced = (await answer({ response, input: { command: 'npm test' } })) as typeof response
    const ref = referenceOf(text)
    const path = join(workspace, '.spillway', 'spill', `${ref}.txt`)
    expect(replaced).toEqual({ ...response, stdout: expect.any(String) })
    const [pointer, first, ...rest] = replaced.stdout.split('\n')
    expect(pointer).toBe(
      `[spillway ${ref}: Bash npm test, ${text.length.toLocaleString('en')} characters. Back: ${path}]`,
    )
    expect(pointerReference(pointer ?? '')).toBe(ref)
    expect([first, rest[0], rest.at(-1)]).toEqual(['First 400 characters:', 'start', 'all is well'])
    expect(replaced.stdout).toContain('\nLast 400 characters:\n')
    expect(replaced.stdout.length).toBeLessThan(1100)
    expect(readFileSync(path, 'utf8')).toBe(text)
    expect(statSync(path).mode & 0o777).toBe(0o600)
    expect(archive.get(ref)).toMatchObject({
      content: text,
      origins: [{ tool: 'Bash', target: 'npm test', rule: 'spill' }],
    })
    expect(events).toEqual([
      { type: 'result-spilled', ref, tool: 'Bash', callId: 'toolu_1', size: text.length, unit: 'characters', path },
    ])
  })

  it('has a threshold for Bash, Grep, Glob, web and MCP tools and a higher one for Read', async () => {
    const { answer } = await bench()
    for (const tool of ['Bash', 'Grep', 'Glob', 'WebFetch', 'WebSearch', 'mcp__files__list']) {
      expect([tool, await answer({ tool, response: { content: 'x'.repeat(3999) } })]).toEqual([tool, undefined])
      expect([tool, await answer({ tool, response: { content: 'x'.repeat(4000) } })]).not.toEqual([tool, undefined])
    }
    const read = (chars: number) => ({ type: 'text', file: { filePath: '/a', content: 'x'.repeat(chars) } })
    expect(await answer({ tool: 'Read', response: read(39_000) })).toBeUndefined()
    expect(await answer({ tool: 'Read', response: read(40_000) })).toMatchObject({
      type: 'text',
      file: { filePath: '/a' },
    })
    expect(
      await answer({ tool: 'Agent', response: { content: [{ type: 'text', text: 'x'.repeat(9000) }] } }),
    ).toBeUndefined()
  })

  it('is not there without a threshold, and leaves subagents alone when told to', async () => {
    const { archive } = await bench()
    expect(spillGuard({ archive, threshold: null })).toEqual({})
    expect(spillGuard({ archive, threshold: 0 })).toEqual({})
    const mainOnly = await bench({ mainOnly: true })
    expect(await mainOnly.answer({ response: bash('x'.repeat(5000)), agentId: 'a1' })).toBeUndefined()
    expect(await mainOnly.answer({ response: bash('x'.repeat(5000)) })).toBeDefined()
    const everyone = await bench()
    await everyone.answer({ response: bash('x'.repeat(5000)), agentId: 'a1' })
    expect(everyone.events).toMatchObject([{ agentId: 'a1' }])
  })

  it('counts the result as a whole and leaves what is small', async () => {
    const { answer } = await bench()
    const response = { ...bash('s'.repeat(3900)), stderr: 't'.repeat(3900) }
    const replaced = (await answer({ response })) as typeof response
    expect(replaced.stdout).toMatch(/^\[spillway /)
    expect(replaced.stderr).toBe(response.stderr)
    expect(await answer({ response: { ...bash('s'.repeat(1900)), stderr: 't'.repeat(1900) } })).toBeUndefined()
  })

  it('counts code points, not units', async () => {
    const { answer } = await bench()
    expect(await answer({ response: bash('😀'.repeat(3999)) })).toBeUndefined()
    const replaced = (await answer({ response: bash(`a${'😀'.repeat(5000)}`) })) as { stdout: string }
    expect(replaced.stdout).toContain('5,001 characters')
    expect([...(replaced.stdout.split('\n')[2] ?? '')]).toHaveLength(400)
    expect(Buffer.from(replaced.stdout).toString()).toBe(replaced.stdout)
  })

  it('cuts no accent from its letter and strips terminal colours', async () => {
    const { answer } = await bench({ previewHead: 4, previewTail: 4 })
    const text = `abce\u0301${'x'.repeat(5000)}\u001b[31mw\u{1f469}\u200d\u{1f467}z\u001b[0m`
    const replaced = (await answer({ response: bash(text) })) as { stdout: string }
    expect(replaced.stdout.split('\n').slice(1)).toEqual([
      'First 4 characters:',
      'abc',
      'Last 4 characters:',
      '\u{1f469}\u200d\u{1f467}z',
    ])
  })

  it('shortens lists of names, of text parts and of objects, and keeps all of them', async () => {
    const { answer, archive } = await bench()
    const names = Array.from({ length: 2000 }, (_, at) => `/w/some/long/path/file${at}.py`)
    const grep = (await answer({
      tool: 'Grep',
      response: { mode: 'files_with_matches', filenames: names, numFiles: 2000 },
    })) as {
      filenames: string[]
    }
    expect(grep).toMatchObject({ mode: 'files_with_matches', numFiles: 2000 })
    expect(grep.filenames.length).toBeLessThan(30)
    expect(grep.filenames.join('\n').length).toBeLessThan(4000)
    const [ref] = referencesIn(grep.filenames.join('\n'))
    expect(archive.get(ref ?? '')?.content).toBe(names.join('\n'))

    const parts = [
      { type: 'text', text: 'x'.repeat(8000) },
      { type: 'resource_link', uri: 'a://b' },
    ]
    expect(await answer({ tool: 'mcp__a__b', response: parts })).toEqual([
      { type: 'text', text: expect.stringMatching(/^\[spillway /) },
      { type: 'resource_link', uri: 'a://b' },
    ])
    const small = Array.from({ length: 100 }, (_, at) => ({ type: 'text', text: `${at} ${'y'.repeat(100)}` }))
    const short = (await answer({ tool: 'mcp__a__b', response: small })) as { type: string; text: string }[]
    expect(short.every((part) => part.type === 'text')).toBe(true)
    expect(short.map((part) => part.text).join('').length).toBeLessThan(4000)
    expect(archive.get(referencesIn(JSON.stringify(short))[0] ?? '')?.content).toBe(
      small.map((part) => part.text).join('\n'),
    )

    const results = Array.from({ length: 10 }, (_, at) => ({
      title: `t${at}`,
      url: `u${at}`,
      snippet: `${at}`.repeat(2000),
    }))
    const search = {
      query: 'q',
      results: [{ tool_use_id: 'srvtoolu_1', content: results }, 'a comment'],
      durationSeconds: 1,
    }
    const found = (await answer({ tool: 'WebSearch', response: search })) as typeof search
    expect(found).toMatchObject({
      query: 'q',
      results: [{ tool_use_id: 'srvtoolu_1' }, 'a comment'],
      durationSeconds: 1,
    })
    expect(JSON.stringify(found).length).toBeLessThan(5000)
    const whole = archive.get(referencesIn(JSON.stringify(found))[0] ?? '')
    expect(JSON.parse(String(whole?.content))).toEqual(search)
    expect(referencesIn(JSON.stringify(found))).toHaveLength(1)
  })

  it('moves images and documents out by size, whatever their shape', async () => {
    const { answer, archive, workspace } = await bench()
    const large = png(300_000)
    const data = large.toString('base64')
    const ref = referenceOf(large)
    const pointer = new RegExp(
      `^\\[spillway ${ref}: .* (image|document|file)[^\\n]*, 300,000 bytes\\. Back: .*/spill/${ref}\\.\\w+\\]$`,
    )
    const part = (media: unknown) => ({ tool: 'mcp__a__shot', response: [{ type: 'text', text: 'seen' }, media] })
    for (const media of [
      { type: 'image', source: { type: 'base64', media_type: 'image/png', data } },
      { type: 'image', data, mimeType: 'image/png' },
      { type: 'document', source: { type: 'base64', media_type: 'application/pdf', data } },
      { type: 'resource', resource: { uri: 'a', blob: data, mimeType: 'application/zip' } },
    ]) {
      expect(await answer(part(media))).toEqual([
        { type: 'text', text: 'seen' },
        { type: 'text', text: expect.stringMatching(pointer) },
      ])
    }
    expect(
      await answer(part({ type: 'image', data: png(200_000).toString('base64'), mimeType: 'image/png' })),
    ).toBeUndefined()
    const image = { type: 'image', file: { base64: data, type: 'image/png', originalSize: 300_000 } }
    const input = { file_path: '/w/a.png' }
    expect(await answer({ tool: 'Read', input, response: image })).toEqual({
      type: 'text',
      file: { filePath: '/w/a.png', content: expect.stringMatching(pointer), numLines: 1, startLine: 1, totalLines: 1 },
    })
    const pdf = { type: 'pdf', file: { filePath: '/w/a.pdf', base64: data, originalSize: 300_000 } }
    expect(await answer({ tool: 'Read', input, response: pdf })).toMatchObject({ type: 'text' })
    const printed = { ...bash(`data:image/png;base64,${data}`), isImage: true }
    expect(await answer({ response: printed })).toEqual({
      ...printed,
      isImage: false,
      stdout: expect.stringMatching(pointer),
    })
    expect(large.equals(archive.get(ref)?.content as Buffer)).toBe(true)
    expect(readFileSync(join(workspace, '.spillway', 'spill', `${ref}.png`)).equals(large)).toBe(true)
    const small = { ...bash(`data:image/png;base64,${png(20_000).toString('base64')}`), isImage: true }
    expect(await answer({ response: small })).toBeUndefined()
  })

  it('takes no picture for text', async () => {
    const { answer } = await bench()
    const data = png(100_000).toString('base64')
    const input = { file_path: '/w/a' }
    expect(await answer({ response: { ...bash(data), isImage: true } })).toBeUndefined()
    const cells = [{ cellType: 'code', outputs: [{ image: { image_data: data, media_type: 'image/png' } }] }]
    expect(
      await answer({ tool: 'Read', input, response: { type: 'notebook', file: { filePath: '/w/a', cells } } }),
    ).toBeUndefined()
    const pages = { type: 'parts', file: { filePath: '/w/a' }, pages: [{ base64: data }] }
    expect(await answer({ tool: 'Read', input, response: pages })).toBeUndefined()
  })

  it('has a preset with the numbers of flower', async () => {
    const { answer } = await bench({ preset: 'seed' })
    const replaced = (await answer({ response: { ...bash('abc\n'.repeat(2000)), stderr: 'warn' } })) as {
      stdout: string
    }
    expect(replaced).toMatchObject({ stderr: 'warn' })
    expect(replaced.stdout.split('First 400 characters:\n')[1]).toBe('abc\n'.repeat(100))
    expect(await answer({ tool: 'Read', response: { file: { content: 'x'.repeat(4000) } } })).toBeDefined()
    expect(await answer({ response: bash('x'.repeat(3999)) })).toBeUndefined()
    expect(await answer({ response: { ...bash('s'.repeat(3900)), stderr: 't'.repeat(3900) } })).toBeUndefined()
    expect(await answer({ tool: 'Grep', response: { filenames: Array(2000).fill('/w/file') } })).toBeUndefined()
    expect(await answer({ tool: 'mcp__a__b', response: 'x'.repeat(9000) })).toBeUndefined()
    expect(
      await answer({ response: { ...bash(`data:image/png;base64,${png(9000).toString('base64')}`), isImage: true } }),
    ).toBeUndefined()
  })

  it('lets single limits win over the preset, and other words stand in place', async () => {
    const { answer } = await bench({ preset: 'seed', threshold: 2000, texts: { first: () => '开头:' } })
    const replaced = (await answer({ response: bash('x'.repeat(2000)) })) as { stdout: string }
    expect(replaced.stdout).toContain('\n开头:\n')
  })

  it('names the session of a store where the transcript is a file that will be gone', async () => {
    const sourceOf = async (transcript: string, options = {}) => {
      const { answer, archive } = await bench(options)
      await answer({ response: bash('x'.repeat(5000)), transcript })
      return archive.get(referenceOf('x'.repeat(5000)))?.origins[0]?.source
    }
    const local = '/home/a/.claude/projects/-w/session.jsonl'
    expect(await sourceOf(local)).toBe(local)
    expect(await sourceOf(local, { stored: true })).toBe('store:-w/session')
    expect(await sourceOf('/tmp/claude-resume-1234/projects/-w/session.jsonl')).toBe('store:-w/session')
  })

  it('gives the same bytes for the same answer', async () => {
    const { answer } = await bench()
    const call = { response: bash(lines(1000)) }
    expect(await answer(call)).toEqual(await answer(call))
  })

  it('never grows an answer', async () => {
    const { answer } = await bench({ threshold: 10 })
    await fc.assert(
      fc.asyncProperty(fc.string({ minLength: 0, maxLength: 3000 }), async (text) => {
        const replaced = (await answer({ response: bash(text) })) as { stdout: string } | undefined
        expect((replaced?.stdout ?? text).length).toBeLessThanOrEqual(text.length)
      }),
      { numRuns: 40 },
    )
  })

  it('keeps every long string of any answer, and its shape', async () => {
    const { answer, archive } = await bench({ previewHead: 10, previewTail: 10, threshold: 200 })
    const value = fc.letrec((tie) => ({
      node: fc.oneof(
        { depthSize: 'small' },
        fc.string({ maxLength: 400 }),
        fc.integer(),
        fc.constant(null),
        fc.array(tie('node'), { maxLength: 4 }),
        fc.dictionary(fc.string({ maxLength: 8 }), tie('node'), { maxKeys: 4 }),
      ),
    })).node
    await fc.assert(
      fc.asyncProperty(fc.dictionary(fc.string({ maxLength: 8 }), value, { maxKeys: 5 }), async (response) => {
        const before = JSON.stringify(response)
        const replaced = await answer({ tool: 'mcp__a__b', response })
        expect(JSON.stringify(response)).toBe(before)
        if (replaced === undefined) return
        expect(Object.keys(replaced as object)).toEqual(Object.keys(response))
        const kept = referencesIn(JSON.stringify(replaced)).map((ref) => String(archive.get(ref)?.content))
        for (const text of stringsOf(response)) {
          const stays = stringsOf(replaced).includes(text)
          const isKept = kept.some(
            (content) => content.includes(text) || content.includes(JSON.stringify(text).slice(1, -1)),
          )
          expect(stays || isKept).toBe(true)
        }
      }),
      { numRuns: 100 },
    )
  })

  it.each([['__proto__'], ['constructor'], ['toString']])('is not confused by a key called %s', async (key) => {
    const { answer } = await bench()
    const response = JSON.parse(`{"${key}": "${'x'.repeat(5000)}", "other": 1}`)
    const replaced = (await answer({ tool: 'mcp__a__b', response })) as object
    expect(Object.keys(replaced)).toEqual([key, 'other'])
  })

  it('lets deep nesting pass', async () => {
    const { answer } = await bench()
    let deep: unknown = 'x'.repeat(9000)
    for (let at = 0; at < 20_000; at++) deep = [deep]
    expect(await answer({ tool: 'mcp__a__b', response: deep })).toBeUndefined()
  })
})

function stringsOf(value: unknown): string[] {
  if (typeof value === 'string') return [value]
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(stringsOf) : []
}

describe('reading back', () => {
  const text = 'abc\n'.repeat(3000)
  const spilled = async () => {
    const made = await bench({ readThreshold: 4000 })
    await made.answer({ response: bash(text) })
    const path = join(made.workspace, '.spillway', 'spill', `${referenceOf(text)}.txt`)
    symlinkSync(join(made.workspace, '.spillway', 'spill'), join(made.workspace, 'link'))
    writeFileSync(join(made.workspace, '.spillway', 'spill-notes.md'), text)
    writeFileSync(join(made.workspace, 'big.txt'), text)
    const name = `${referenceOf(text)}.txt`
    const read = (file_path: string) =>
      made.answer({ tool: 'Read', input: { file_path }, response: { file: { content: text } } })
    const run = (command: string, out = text) => made.answer({ input: { command }, response: bash(out) })
    return { ...made, path, name, read, run }
  }

  it('passes however the file is named', async () => {
    const { path, name, read, run, workspace } = await spilled()
    expect(await read(path)).toBeUndefined()
    expect(await read(`.spillway/spill/${name}`)).toBeUndefined()
    expect(await read(join(workspace, 'link', name))).toBeUndefined()
    expect(await read(`${workspace}/.spillway/../link/../.spillway/spill/./${name}`)).toBeUndefined()
    for (const command of [
      `cat ${path}`,
      `cat .spillway/spill/${name}`,
      `sed -n '1,2000p' link/${name}`,
      `head -n 2000 "${path}" | tail -n 1990`,
      `cd .spillway/spill && cat ${name}`,
      `cat < ${path} 2>/dev/null`,
      `sed -n 1,900p ${path}; echo ---; sed -n 1000,2000p ${path}`,
      `grep -n b ${path} | cut -c1-80`,
    ]) {
      expect([command, await run(command)]).toEqual([command, undefined])
    }
  })

  it('passes nothing else', async () => {
    const { path, name, read, run, workspace } = await spilled()
    expect(await read(`${workspace}/.spillway/spill-notes.md`)).toBeDefined()
    expect(await read(`${workspace}/.spillway/spill/none.txt`)).toBeDefined()
    expect(await read(`${workspace}/big.txt`)).toBeDefined()
    for (const command of [
      `cat big.txt`,
      `cat ${path} big.txt`,
      `find / -type f; ls ${path}`,
      `echo ${path}; cat big.txt`,
      `cat big.txt # ${path}`,
      `python3 -c 'print(open("${path}").read())'`,
      `cat ${path} | xargs cat`,
      `cat $(ls .spillway/spill/${name})`,
      `cat .spillway/spill/*.txt`,
      `cat big.txt | grep -f ${path} big.txt`,
    ]) {
      expect([command, await run(command)]).not.toEqual([command, undefined])
    }
    expect(await run(`cat ${path}`, 'y'.repeat(900_000))).toBeDefined()
  })

  it('passes a search inside the folder, up to what a read may bring', async () => {
    const { answer, workspace } = await bench()
    await answer({ response: bash(text) })
    const grep = (input: Record<string, unknown>, chars = 8000) =>
      answer({ tool: 'Grep', input, response: { mode: 'content', content: 'y'.repeat(chars) } })
    expect(await grep({ pattern: 'abc', path: `${workspace}/.spillway/spill` })).toBeUndefined()
    expect(await grep({ pattern: 'abc', path: '.spillway/spill' })).toBeUndefined()
    expect(await grep({ pattern: `${workspace}/.spillway/spill` })).toBeDefined()
    expect(await grep({ pattern: 'abc', path: workspace })).toBeDefined()
    expect(await grep({ pattern: 'abc', path: `${workspace}/.spillway/spill` }, 60_000)).toBeDefined()
  })

  it('shows a spilled picture when it is asked for by its path', async () => {
    const { answer, workspace } = await bench()
    const data = png(300_000)
    const response = {
      type: 'image',
      file: { base64: data.toString('base64'), type: 'image/png', originalSize: 300_000 },
    }
    await answer({ tool: 'Read', input: { file_path: '/w/a.png' }, response })
    const file_path = join(workspace, '.spillway', 'spill', `${referenceOf(data)}.png`)
    expect(await answer({ tool: 'Read', input: { file_path }, response })).toBeUndefined()
  })
})

describe('what goes wrong', () => {
  it('passes the original and says so when the folder is blocked', async () => {
    const { answer, workspace, events } = await bench()
    writeFileSync(join(workspace, '.spillway', 'spill'), 'in the way')
    expect(await answer({ response: bash('x'.repeat(5000)) })).toBeUndefined()
    expect(events).toMatchObject([{ type: 'hook-failed', hook: 'spill guard', tool: 'Bash', callId: 'toolu_1' }])
    rmSync(join(workspace, '.spillway', 'spill'))
    expect(await answer({ response: bash('x'.repeat(5000)) })).toBeDefined()
  })

  it('passes the original when the archive throws', async () => {
    const events: HookEvent[] = []
    const archive = {
      folder: temporaryFolder(),
      keep: () => {
        throw new Error('disk full')
      },
    }
    const hooks = spillGuard({ archive, onEvent: (event) => events.push(event) })
    expect(await replacedBy(hooks, { tool: 'Bash', response: bash('x'.repeat(5000)) })).toBeUndefined()
    expect(events).toEqual([expect.objectContaining({ reason: 'the original passes: disk full' })])
  })

  it('does not trust a damaged copy: the same answer again is whole', async () => {
    const { answer, workspace } = await bench()
    const text = 'abc\n'.repeat(2000)
    const path = join(workspace, '.spillway', 'spill', `${referenceOf(text)}.txt`)
    await answer({ response: bash(text) })
    writeFileSync(path, 'abc')
    await answer({ response: bash(text) })
    expect(readFileSync(path, 'utf8')).toBe(text)
  })

  it('leaves no half copy where the disk ends in the middle of a write', async () => {
    const folder = temporaryFolder()
    const script = `
      import { readdirSync } from 'node:fs'
      import { openArchive } from ${JSON.stringify(join(process.cwd(), 'src/archive/index.ts'))}
      import { spillGuard } from ${JSON.stringify(join(process.cwd(), 'src/agent/hooks/spill-guard.ts'))}
      const folder = process.argv[2]
      const failures = []
      const archive = { folder, keep: (await import(${JSON.stringify(join(process.cwd(), 'src/archive/kept.ts'))})).keptFirst(folder, () => {}).keep }
      const hooks = spillGuard({ archive, onEvent: (event) => failures.push(event.type) })
      const input = { tool_name: 'Bash', tool_input: {}, tool_use_id: 'a', session_id: 's', transcript_path: '/x', cwd: '/',
        tool_response: { stdout: 'x'.repeat(50000) } }
      const answer = await hooks.PostToolUse[0].hooks[0](input, 'a', {})
      console.log(JSON.stringify({ answer, failures, left: readdirSync(folder + '/spill') }))`
    const file = join(folder, 'probe.mts')
    writeFileSync(file, script)
    const tsx = join(process.cwd(), 'node_modules/.bin/tsx')
    const limited = `trap '' XFSZ; ulimit -f 4; exec "${process.execPath}" --import tsx "${file}" "${folder}"`
    expect(statSync(tsx).isFile()).toBe(true)
    const out = execFileSync('bash', ['-c', limited], {
      encoding: 'utf8',
      env: { ...process.env, TSX_DISABLE_CACHE: '1' },
    })
    expect(JSON.parse(out)).toEqual({ answer: {}, failures: ['hook-failed'], left: [] })
  })

  it('keeps half a surrogate pair and never throws', async () => {
    const { answer, archive } = await bench()
    const text = `\ud83d${'x'.repeat(5000)}`
    const replaced = (await answer({ response: bash(text) })) as { stdout: string }
    expect(replaced.stdout).not.toContain('\ud83d')
    expect(archive.get(referenceOf(text))?.content).toBe(text)
  })

  it('never throws, whatever the binary says', async () => {
    const { hooks } = await bench()
    for (const input of [undefined, null, {}, { tool_name: 5 }, { tool_name: 'Bash', tool_response: 5 }]) {
      for (const hook of [...(hooks.PostToolUse ?? []), ...(hooks.PostToolUseFailure ?? [])].flatMap(
        (each) => each.hooks,
      )) {
        await expect(hook(input as never, undefined, { signal: new AbortController().signal })).resolves.toEqual({})
      }
    }
  })
})

describe('outputs that Claude Code put into a file', () => {
  const persisted = async (size: number) => {
    const made = await bench()
    const transcript = join(made.workspace, 'sessions', 'id.jsonl')
    const folder = join(made.workspace, 'sessions', 'id', 'tool-results')
    mkdirSync(folder, { recursive: true })
    const text = lines(size / 21)
    const path = join(folder, 'b1.txt')
    writeFileSync(path, text)
    return { ...made, transcript, folder, path, text }
  }

  it('are adopted whole: one pointer, no file of the other kind beside it', async () => {
    const { answer, archive, transcript, path, text } = await persisted(300_000)
    const response = { ...bash(text.slice(0, 30_000)), persistedOutputPath: path, persistedOutputSize: text.length }
    const replaced = (await answer({ response, transcript })) as { stdout: string }
    expect(Object.keys(replaced)).toEqual(Object.keys(bash('')))
    expect(referencesIn(replaced.stdout)).toEqual([referenceOf(text)])
    expect(replaced.stdout.endsWith(text.slice(-400))).toBe(true)
    expect(archive.get(referenceOf(text))?.content).toBe(text)
    const words = `Error: result (300,000 characters) exceeds maximum allowed tokens. Output has been saved to ${path}.\nRead it.`
    const mcp = (await answer({ tool: 'mcp__a__b', response: words, transcript })) as string
    expect(referencesIn(mcp)).toEqual([referenceOf(text)])
  })

  it("only from the session's own folder", async () => {
    const { answer, transcript, workspace, folder } = await persisted(30_000)
    writeFileSync(join(workspace, 'secret'), 'a secret')
    symlinkSync(join(workspace, 'secret'), join(folder, 'link.txt'))
    for (const path of [
      join(workspace, 'secret'),
      join(folder, 'link.txt'),
      join(folder, '../../../secret'),
      join(folder, 'none'),
    ]) {
      const response = { ...bash('x'), persistedOutputPath: path, persistedOutputSize: 9 }
      expect(await answer({ response, transcript })).toBeUndefined()
      const words = `Output has been saved to ${path}`
      expect(await answer({ tool: 'mcp__a__b', response: words, transcript })).toBeUndefined()
    }
  })
})

describe('failing calls', () => {
  it('get a note where their output is kept', async () => {
    const { hooks, archive } = await bench()
    const error = `Exit code 1\n${lines(400)}`
    const [answer] = await askHooks(hooks, 'PostToolUseFailure', {
      tool: 'Bash',
      input: { command: 'npm test' },
      error,
    })
    const note = String(answer?.additionalContext)
    expect(pointerReference(note.split('\n')[0] ?? '')).toBe(referenceOf(error))
    expect(archive.get(referenceOf(error))?.content).toBe(error)
    expect(await askHooks(hooks, 'PostToolUseFailure', { tool: 'Bash', error: 'Exit code 1\nshort' })).toEqual([])
  })

  it('can be wrapped, and then end well with their exit code', async () => {
    const { hooks, workspace } = await bench({ wrapFailures: true })
    const wrappedOf = async (command: string) => {
      const [answer] = await askHooks(hooks, 'PreToolUse', { tool: 'Bash', input: { command } })
      return String((answer?.updatedInput as { command?: string } | undefined)?.command)
    }
    const run = async (command: string) =>
      execFileSync('bash', ['-c', `${await wrappedOf(command)}\npwd`], { cwd: workspace, encoding: 'utf8' })
    expect(await run('echo out; false')).toBe(`out\n\n[exit code 1]\n${workspace}\n`)
    expect(await run('echo out')).toBe(`out\n${workspace}\n`)
    expect(await run('cat <<EOF\nhere\nEOF')).toBe(`here\n${workspace}\n`)
    expect(await run('mkdir d; cd d # a comment')).toBe(`${workspace}/d\n`)
    expect(
      await askHooks(hooks, 'PreToolUse', { tool: 'Bash', input: { command: 'x', run_in_background: true } }),
    ).toEqual([])
    const text = lines(1000)
    await replacedBy(hooks, { tool: 'Bash', input: { command: 'x' }, response: bash(text) })
    const path = join(workspace, '.spillway', 'spill', `${referenceOf(text)}.txt`)
    const input = { command: await wrappedOf(`cat ${path}`) }
    expect(await replacedBy(hooks, { tool: 'Bash', input, response: bash(text), cwd: workspace })).toBeUndefined()
  })
})

it('asks for permission again where the archive is closed to us', async () => {
  const { answer, workspace, events } = await bench()
  if (process.getuid?.() === 0) return
  mkdirSync(join(workspace, '.spillway', 'spill'), { mode: 0o500 })
  expect(await answer({ response: bash('x'.repeat(5000)) })).toBeUndefined()
  expect(events).toMatchObject([{ type: 'hook-failed' }])
  chmodSync(join(workspace, '.spillway', 'spill'), 0o700)
})
