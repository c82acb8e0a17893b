import { execFileSync, spawn, spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import {
  chmodSync,
  cpSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { glanceEnvironment } from '../../src/hands/run-glance.ts'
import { FAMILIES } from '../../src/shell/verbs/table.ts'

/** Milliseconds after which a command counts as hanging. */
const HANG_MS = 2_000
/** A command that hangs is run again with this limit: the machine may only have been busy. */
const CERTAIN_HANG_MS = 12_000
const TRACED =
  'execve,openat,unlink,unlinkat,rename,renameat,renameat2,connect,mkdir,mkdirat,chmod,fchmod,truncate,ftruncate'

/** What a command did that a glance does not do; empty when it only looked. */
export type Violation =
  | { readonly kind: 'changed files'; readonly detail: string }
  | { readonly kind: 'unexpected program'; readonly detail: string }
  | { readonly kind: 'connection'; readonly detail: string }
  | { readonly kind: 'hang'; readonly detail: string }

/** bubblewrap with no network, no other processes, and a file system that is read-only but for what `more` adds. */
function sandboxed(more: string): readonly string[] {
  const words = `--unshare-all --die-with-parent --new-session --ro-bind / / --dev /dev --proc /proc ${more}`
  return words.split(' ').filter((word) => word !== '')
}

/** Can commands be run in a sandbox here? bubblewrap and strace are Debian packages. */
export function hasSandbox(): boolean {
  const words = [...sandboxed(''), 'strace', '-f', '-o', '/dev/null', 'true']
  return spawnSync('bwrap', words, { stdio: 'ignore' }).status === 0
}

/** Programs of the verb tables, and what those start themselves. */
const STARTED_BY: Readonly<Record<string, readonly string[]>> = {
  git: [
    'git',
    'git-submodule',
    'git-bisect',
    'git-sh-setup',
    'git-sh-i18n',
    'git-merge-base',
    'git-rev-parse',
    'sh',
    'dash',
    'sed',
    'basename',
    'uname',
    'gettext',
    'envsubst',
  ],
  tar: ['gzip', 'bzip2', 'xz', 'lzma', 'zstd', 'sh', 'dash'],
  which: ['sh', 'dash', 'which.debianutils'],
  egrep: ['grep', 'sh', 'dash'],
  fgrep: ['grep', 'sh', 'dash'],
  awk: ['gawk', 'mawk', 'original-awk'],
  nawk: ['gawk', 'mawk', 'original-awk'],
  w: ['w.procps'],
}
const PROGRAMS = new Set(
  FAMILIES.filter((family) => family.title !== 'Asking for a version').flatMap((family) =>
    family.verbs.flatMap((verb) => verb.names),
  ),
)
const VERSIONED = new Set(
  FAMILIES.filter((family) => family.title === 'Asking for a version').flatMap((family) =>
    family.verbs.flatMap((verb) => verb.names),
  ),
)

/** A small project with hostile file names, a git repository with one of everything, and a home beside it. */
export class GlanceSandbox {
  private readonly root = mkdtempSync(join(tmpdir(), 'spillway-oracle-'))
  private readonly template = join(this.root, 'template')
  private readonly live = join(this.root, 'live')
  private readonly log = join(this.root, 'trace')
  private digest = ''

  constructor() {
    // `top` makes its settings folder the first time it runs.
    mkdirSync(join(this.template, 'home/.config/procps'), { recursive: true })
    mkdirSync(join(this.template, 'project'))
    fillProject(join(this.template, 'project'))
    this.restore()
  }

  private restore(): void {
    rmSync(this.live, { recursive: true, force: true })
    cpSync(this.template, this.live, { recursive: true, preserveTimestamps: true, verbatimSymlinks: true })
    // The copies have other inodes; without this, the first look at the work tree would find the index stale.
    execFileSync('git', ['update-index', '-q', '--refresh'], { cwd: join(this.live, 'project') })
    this.digest = digestOf(this.live)
  }

  /** Runs one command and tells what it did beyond looking. */
  async violations(command: string): Promise<readonly Violation[]> {
    const found: Violation[] = []
    let ended = await this.run(command, HANG_MS)
    if (!ended) ended = await this.run(command, CERTAIN_HANG_MS)
    if (!ended) found.push({ kind: 'hang', detail: `longer than ${CERTAIN_HANG_MS} ms` })
    const trace = readFileSync(this.log, 'utf8')
    if (!trace.includes('execve("/bin/bash"')) throw new Error(`the sandbox did not start for: ${command}`)
    found.push(...readTrace(trace, command))
    const after = digestOf(this.live)
    if (after !== this.digest) {
      found.push({ kind: 'changed files', detail: differences(this.template, this.live) })
      this.restore()
    }
    return found
  }

  /** False when it was ended by force. */
  private run(command: string, limit: number): Promise<boolean> {
    writeFileSync(this.log, '')
    const project = '/mnt/project'
    const environment = {
      ...glanceEnvironment(project, {}),
      HOME: '/mnt/home',
      // Whatever a variable may hold, it holds here.
      x: '--output=PWNED',
      y: 'f -oPWNED',
      z: 'z[$(touch PWNED)]',
      f: '-delete',
      hash: '-oPWNED',
    }
    const words = [
      ...sandboxed(`--tmpfs /tmp --bind ${this.live} /mnt --bind ${this.log} /tmp/trace --chdir ${project} --clearenv`),
      ...Object.entries(environment).flatMap(([name, value]) => ['--setenv', name, value]),
      ...`strace -f -qq -y -s 200 -o /tmp/trace -e trace=${TRACED} /bin/bash --noprofile --norc -c`.split(' '),
      command,
    ]
    return new Promise((done, failed) => {
      const child = spawn('bwrap', words, { stdio: ['ignore', 'ignore', 'ignore'] })
      let ended = true
      const timer = setTimeout(() => {
        ended = false
        child.kill('SIGKILL')
      }, limit)
      child.on('error', failed)
      child.on('close', () => {
        clearTimeout(timer)
        done(ended)
      })
    })
  }

  remove(): void {
    rmSync(this.root, { recursive: true, force: true })
  }
}

/** Writes, programs and connections among the system calls that succeeded or would have. */
function readTrace(trace: string, command: string): Violation[] {
  const found: Violation[] = []
  for (const line of trace.split('\n')) {
    const call = /^(?:\d+\s+)?(\w+)\((.*)$/.exec(line)
    if (call === null) continue
    const [, name = '', rest = ''] = call
    if (name === 'execve') {
      const program = /^"([^"]*)"/.exec(rest)?.[1] ?? ''
      const succeeded = rest.endsWith('= 0') || rest.includes('<unfinished')
      if (succeeded && !isExpected(program, command)) found.push({ kind: 'unexpected program', detail: program })
    } else if (name === 'connect') {
      if (!/nscd|AF_NETLINK/.test(rest) && !asksServices(command)) found.push({ kind: 'connection', detail: rest })
    } else {
      const writes = name !== 'openat' || /O_(?:WRONLY|RDWR|CREAT|TRUNC|APPEND)/.test(rest)
      // What exists already is not made by `mkdir`.
      if (!writes || rest.includes('EEXIST')) continue
      const path = pathOf(rest)
      if (!isScratch(path)) found.push({ kind: 'changed files', detail: `${name} ${path}` })
    }
  }
  return found
}

/** The clients of services connect, which is what they are for. */
function asksServices(command: string): boolean {
  return /(?:^|[\s(;|&])(?:docker|kubectl|gh)\s/.test(command)
}

/** The path of a call, with the folder that it is relative to when that is not the working directory. */
function pathOf(rest: string): string {
  const name = /"([^"]*)"/.exec(rest)?.[1] ?? ''
  if (name.startsWith('/')) return name
  const folder = /^(?:AT_FDCWD|\d+)<([^>]*)>/.exec(rest)?.[1]
  return folder === undefined || name === '' ? (folder ?? name) : `${folder}/${name}`
}

/** Temporary files, terminals, /dev/null and a process's own settings are nobody's files. */
function isScratch(path: string): boolean {
  return /^\/(?:tmp\/|dev\/(?:null|tty|pts\/|ptmx)|proc\/self\/)/.test(path)
}

function isExpected(path: string, command: string): boolean {
  const program = path.split('/').at(-1) ?? ''
  if (!/^\/(?:usr\/)?(?:local\/)?(?:s?bin|lib\/git-core)\//.test(path)) return false
  if (program === 'bash' && path === '/bin/bash') return true
  const names: readonly string[] = command.match(/[\w.+-]+|\[/g) ?? []
  if (names.includes(program) && PROGRAMS.has(program)) return true
  if (
    VERSIONED.has(program) &&
    new RegExp(`(?:^|[\\s(;|&])${program.replace(/[.+]/g, '\\$&')} (?:--?)?(?:v|V|version)`).test(command)
  )
    return true
  return names.some((name) => Object.hasOwn(STARTED_BY, name) && STARTED_BY[name]?.includes(program))
}

function digestOf(folder: string): string {
  const hash = createHash('sha256')
  const visit = (path: string): void => {
    const stat = lstatSync(path)
    hash.update(`${path.slice(folder.length)}\0${stat.mode}\0${stat.size}\0`)
    if (stat.isDirectory()) for (const name of readdirSync(path).sort()) visit(join(path, name))
    else if (stat.isSymbolicLink()) hash.update(readlinkSync(path))
    else if (stat.isFile()) hash.update(readFileSync(path))
  }
  visit(folder)
  return hash.digest('hex')
}

function differences(before: string, after: string): string {
  const result = spawnSync('diff', ['-rq', '-x', 'index', before, after], { encoding: 'utf8' })
  return result.stdout.split('\n').slice(0, 3).join('; ').replaceAll(before, '').replaceAll(after, '')
}

function fillProject(folder: string): void {
  const git = (...words: string[]): void => {
    execFileSync('git', words, {
      cwd: folder,
      stdio: 'ignore',
      env: { ...process.env, GIT_CONFIG_GLOBAL: '/dev/null', GIT_CONFIG_SYSTEM: '/dev/null' },
    })
  }
  const write = (name: string, text: string): void => writeFileSync(join(folder, name), text)
  git('init', '-q', '-b', 'main')
  git('config', 'user.name', 'A')
  git('config', 'user.email', 'a@b.c')
  git('config', 'remote.origin.url', 'https://192.0.2.1/x.git')
  for (const name of ['src', 'dir']) mkdirSync(join(folder, name))
  write('f', 'foo 1\nbar 2\na b c\n')
  write('g', 'foo 1\nbaz 3\n')
  write('src/a.ts', 'export const foo = 1\n')
  write('src/b.ts', 'export const bar = 2\n')
  write('dir/f.txt', 'text\n')
  write('data.json', '{"a": 1, "b": [1, 2]}\n')
  write('README.md', '# Title\n-delete\n')
  write('log.txt', Array.from({ length: 40 }, (_, at) => `line ${at}\n`).join(''))
  write('a b', 'blank\n')
  write('script.sh', '#!/bin/sh\ntouch PWNED\n')
  chmodSync(join(folder, 'script.sh'), 0o755)
  // Names that a pattern may turn into options.
  for (const name of ['-oPWNED', '--output=PWNED', '-f', '-delete', '$(touch PWNED)', 'a.tar.txt']) write(name, 'x\n')
  execFileSync('tar', ['-cf', 'a.tar', 'f', 'g'], { cwd: folder })
  execFileSync('sh', ['-c', 'gzip -c f > arch.gz; tar -czf a.tgz f'], { cwd: folder })
  git('add', '--', '.')
  git('commit', '-q', '-m', 'first')
  git('branch', 'side')
  git('tag', 'v1')
  write('f', 'foo 1\nbar 2\na b c\nd\n')
  git('commit', '-q', '-a', '-m', 'second')
  git('notes', 'add', '-m', 'a note')
  write('g', 'stashed\n')
  git('stash')
  write('g', 'changed\n')
}
