import {
  chmodSync,
  existsSync,
  mkdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { temporaryFolder } from '../../../test/support/archive.ts'
import { SpillwayError } from '../../core/errors.ts'
import { headOfFile } from './file-head.ts'
import { nameOf } from './render.ts'
import { openWorkbench, type Workbench } from './workbench.ts'

function write(bench: Workbench, path: string, content: string, used?: number): string {
  const file = join(bench.folder, path)
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, content)
  if (used !== undefined) utimesSync(file, used, used)
  return file
}

const lines = (text: string) => text.split('\n').filter((line) => line.startsWith('- '))

describe('openWorkbench', () => {
  it('makes private folders that no repository takes in, and writes the index atomically', () => {
    const bench = openWorkbench({ workspace: temporaryFolder() })
    for (const name of ['scripts', 'artifacts', 'notes']) {
      expect(statSync(join(bench.folder, name)).mode & 0o777).toBe(0o700)
    }
    expect(readFileSync(join(bench.folder, '.gitignore'), 'utf8')).toBe('*\n')
    write(bench, 'scripts/check.sh', '# desc: run the checks\n')
    bench.refresh()
    const index = join(bench.folder, 'INDEX.md')
    expect(statSync(index).mode & 0o777).toBe(0o600)
    expect(readFileSync(index, 'utf8')).toBe(
      '# Workbench\n\nScripts:\n- `.spillway/scripts/check.sh` — run the checks (23B)\nArtifacts:\n(empty)\nNotes:\n(empty)\n',
    )
    const { ino } = statSync(index)
    bench.refresh()
    expect(statSync(index).ino).toBe(ino)
    write(bench, 'notes/deep/n.md', '# Why SQLite\n')
    bench.refresh()
    expect(statSync(index).ino).not.toBe(ino)
    expect(readFileSync(index, 'utf8')).toContain('- `.spillway/notes/deep/n.md` — Why SQLite (13B)')
  })

  it('lists sizes and leaves the description out where there is none', () => {
    const bench = openWorkbench({ workspace: temporaryFolder() })
    write(bench, 'artifacts/big.log', 'x\n'.repeat(1500))
    write(bench, 'artifacts/huge.bin', '\0'.repeat(2_500_000))
    expect(lines(bench.promptBlock(bench.refresh()))).toEqual([
      expect.stringContaining('scripts/'),
      expect.stringContaining('artifacts/'),
      expect.stringContaining('notes/'),
      '- `.spillway/artifacts/big.log` (2.9K)',
      '- `.spillway/artifacts/huge.bin` (2.4M)',
    ])
  })

  it('lists the 40 newest used of a folder, inside the workspace and outside of it', () => {
    const workspace = temporaryFolder()
    for (const folder of [undefined, join(temporaryFolder(), 'bench')]) {
      const bench = openWorkbench({ workspace, ...(folder === undefined ? {} : { folder }) })
      for (let at = 0; at < 45; at++) write(bench, `notes/n${String(at).padStart(2, '0')}.md`, 'x', 1000 + at)
      const text = bench.promptBlock(bench.refresh())
      expect(lines(text).filter((line) => line.includes('/n'))).toHaveLength(40 + 1)
      expect(text).toContain('n44.md')
      expect(text).not.toContain('n04.md')
      expect(text).toContain(`5 more that were not used lately: \`ls ${bench.name}/notes\``)
      bench.used(join(bench.folder, 'notes', 'n00.md'))
      const again = bench.promptBlock(bench.refresh())
      expect(again).toContain('n00.md')
      expect(again).not.toContain('n05.md')
      if (folder !== undefined) expect(text).toContain(`\`${folder}/notes/n44.md\``)
    }
  })

  it('reads the bytes of the first lines only, and a file that has not changed not again', () => {
    const bench = openWorkbench({ workspace: temporaryFolder() })
    const head = '# desc: first lines\n'.repeat(8)
    const file = write(bench, 'artifacts/long.log', head + 'x'.repeat(50_000))
    expect(headOfFile(file).length).toBe(1024)
    expect(headOfFile(write(bench, 'artifacts/one-line.js', 'x'.repeat(100_000))).length).toBe(8192)
    const started = performance.now()
    write(bench, 'artifacts/100mb.log', '# desc: large\n')
    const large = join(bench.folder, 'artifacts/100mb.log')
    // Sparse: 105 MB that are not there, but would have to be read.
    truncateSync(large, 105 * 1024 * 1024)
    expect(bench.promptBlock(bench.refresh())).toContain('(105.0M)')
    expect(performance.now() - started).toBeLessThan(1000)
  })

  it('looks without counting as a use', () => {
    const bench = openWorkbench({ workspace: temporaryFolder() })
    const file = write(bench, 'scripts/old.sh', '# desc: old\n', 1000)
    bench.refresh()
    if (process.platform === 'linux') expect(statSync(file).atimeMs).toBe(1_000_000)
    const { mtimeMs } = statSync(write(bench, 'scripts/new.sh', 'x'))
    bench.used(join(bench.folder, 'scripts/new.sh'))
    expect(Math.abs(statSync(join(bench.folder, 'scripts/new.sh')).mtimeMs - mtimeMs)).toBeLessThan(1)
  })

  it('writes names so that one line stays one line and one name', () => {
    const bench = openWorkbench({ workspace: temporaryFolder() })
    write(bench, 'scripts/weird `name`\nline.sh', '# desc: odd\nrm -rf /\n')
    expect(bench.promptBlock(bench.refresh())).toContain('- `` .spillway/scripts/weird `name`\\nline.sh `` — odd (21B)')
    expect(nameOf('a\u202eb\u0007')).toBe('`a\\u{202e}b\\u{7}`')
  })

  it('follows no link and opens no pipe', () => {
    const workspace = temporaryFolder()
    const bench = openWorkbench({ workspace })
    writeFileSync(join(workspace, 'secret'), '# desc: a secret\n')
    symlinkSync(join(workspace, 'secret'), join(bench.folder, 'scripts', 'link.sh'))
    mkdirSync(join(bench.folder, 'artifacts', 'node_modules'))
    writeFileSync(join(bench.folder, 'artifacts', 'node_modules', 'x.js'), '')
    expect(bench.promptBlock(bench.refresh())).not.toMatch(/secret|link\.sh|x\.js/)
    expect(headOfFile(join(bench.folder, 'scripts', 'link.sh'))).toBe('')
  })

  it('refuses a workspace that is not there, and a workbench that is a link or cannot be made', () => {
    const workspace = temporaryFolder()
    expect(() => openWorkbench({ workspace: join(workspace, 'none') })).toThrow(
      expect.objectContaining({ code: 'not-found' }),
    )
    const elsewhere = temporaryFolder()
    symlinkSync(elsewhere, join(workspace, '.spillway'))
    expect(() => openWorkbench({ workspace })).toThrow(/symbolic link/)
    expect(existsSync(join(elsewhere, 'scripts'))).toBe(false)
    writeFileSync(join(workspace, 'file'), '')
    expect(() => openWorkbench({ workspace, folder: 'file/bench' })).toThrow(SpillwayError)
  })

  it('leaves the ignore rules of a folder of your own alone', () => {
    const folder = temporaryFolder()
    openWorkbench({ workspace: temporaryFolder(), folder })
    expect(existsSync(join(folder, '.gitignore'))).toBe(false)
  })
})

describe('the index of a generation', () => {
  it('never changes, and what has changed since is told a line a file', () => {
    const bench = openWorkbench({ workspace: temporaryFolder() })
    write(bench, 'scripts/check.sh', '# desc: run the checks\n')
    write(bench, 'notes/old.md', '# Old\n')
    const index = JSON.parse(JSON.stringify(bench.refresh()))
    const block = bench.promptBlock(index)
    expect(bench.changesSince(index)).toBe('')
    bench.used(join(bench.folder, 'scripts/check.sh'))
    expect(bench.changesSince(index)).toBe('')
    write(bench, 'scripts/check.sh', '# desc: run all the checks\n')
    write(bench, 'artifacts/a.log', 'long')
    rmSync(join(bench.folder, 'notes/old.md'))
    expect(bench.changesSince(index)).toBe(
      [
        '- `.spillway/scripts/check.sh` — run all the checks (27B), changed',
        '- `.spillway/artifacts/a.log` (4B), new',
        '- `.spillway/notes/old.md`, gone',
      ].join('\n'),
    )
    expect(bench.promptBlock(index)).toBe(block)
  })

  it('tells workers where it is, in absolute terms, and what is in it now, within what the channel holds', () => {
    const bench = openWorkbench({ workspace: temporaryFolder() })
    write(bench, 'scripts/check.sh', '# desc: run the checks\n')
    expect(bench.subagentContext()).toContain(bench.folder)
    expect(bench.subagentContext()).toContain('run the checks')
    for (const folder of ['scripts', 'artifacts', 'notes']) {
      for (let at = 0; at < 40; at++) write(bench, `${folder}/${'n'.repeat(150)}${at}`, `# desc: ${'w'.repeat(100)}`)
    }
    const text = bench.subagentContext()
    expect(text.length).toBeLessThanOrEqual(9000)
    expect(text.endsWith('\n…')).toBe(true)
  })

  it('takes other texts', () => {
    const texts = { coordinator: (folder: string) => `Werkbank: ${folder}`, empty: '(leer)' }
    const bench = openWorkbench({ workspace: temporaryFolder(), texts })
    expect(bench.promptBlock(bench.refresh())).toMatch(/^Werkbank: \.spillway\nScripts:\n\(leer\)/)
  })
})

it('lists a folder that cannot be read as empty', () => {
  const bench = openWorkbench({ workspace: temporaryFolder() })
  write(bench, 'scripts/check.sh', '# desc: run the checks\n')
  chmodSync(join(bench.folder, 'scripts'), 0o000)
  const isRoot = process.getuid?.() === 0
  expect(bench.refresh().folders[0]?.entries).toHaveLength(isRoot ? 1 : 0)
  chmodSync(join(bench.folder, 'scripts'), 0o700)
})
