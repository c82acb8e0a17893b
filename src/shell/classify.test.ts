import { describe, expect, it } from 'vitest'
import { GLANCES, NO_GLANCES } from '../../test/support/glance-cases.ts'
import { hostileCommands } from '../../test/support/glance-hostile.ts'
import { classify } from './index.ts'
import { MOST_CHARACTERS, MOST_COMMANDS, MOST_DEPTH, MOST_LOOP_WORDS } from './limits.ts'

describe('classify on our own cases', () => {
  it.each(GLANCES)('allows %s', (command) => {
    expect(classify(command)).toMatchObject({ allow: true, ephemeral: true, reason: 'only looks, and ends by itself' })
  })

  it.each(NO_GLANCES)('refuses %s', (command) => {
    const { allow, reason } = classify(command)
    expect(allow).toBe(false)
    expect(reason).toMatch(/^`[^`\n]*` \S[^\n]*$/)
    expect(reason.length).toBeLessThan(300)
  })

  it('refuses every refused option, in every spelling', () => {
    expect(hostileCommands().filter(({ command }) => classify(command).allow)).toEqual([])
    expect(hostileCommands().length).toBeGreaterThan(2000)
  })
})

describe('reasons', () => {
  it.each([
    ['git branch x', '`git branch x` creates a branch; use `git branch --list`'],
    ['git status && rm -rf x', '`rm -rf x` runs `rm`, which is not known to be read-only'],
    ['ls > out', '`> out` writes a file; only /dev/null and `2>&1` are read-only'],
    ['sort -uo F f', '`sort -uo` writes a file'],
    ['sed -Ei s/a/b/ f', '`sed -Ei` changes the file; print with `sed -n` instead'],
    ['cat .env', '`cat .env` may hold a password or key; do not show it'],
    ['git log $x', '`git log $x` may turn into an option'],
    ['tail -f log', '`tail -f` follows the file and never ends; leave it out'],
    ['echo "$(rm f)"', '`rm f` runs `rm`'],
  ])('says of %s what the matter is', (command, reason) => {
    expect(classify(command).reason).toContain(reason)
  })

  it('names the parts one by one', () => {
    const { parts } = classify('cd a && git status | tee F; sleep 5')
    expect(parts.map(({ text, allow, ephemeral }) => [text, allow, ephemeral])).toEqual([
      ['cd a', true, true],
      ['git status', true, true],
      ['tee F', false, false],
      ['sleep 5', false, true],
    ])
  })

  it('shows the parts in JSON', () => {
    const answer: unknown = JSON.parse(JSON.stringify(classify('ls; rm f')))
    expect(answer).toMatchObject({
      allow: false,
      parts: [{ text: 'ls' }, { text: 'rm f', reason: expect.any(String) }],
    })
  })
})

describe('what goes stale without being allowed', () => {
  it.each([
    'sleep 5 && tail log',
    'git fetch && git status',
    'git fetch origin main; git log -1 origin/main',
    'timeout 5 tail -f log',
    'curl -s http://127.0.0.1:8080/health',
    'curl -sS -o /dev/null -w "%{http_code}" http://x',
    "gh api graphql -f query='{viewer{login}}'",
    'npm test',
    'npm run lint',
    'npx vitest run',
    'python -m pytest -q',
    'uv run pytest tests',
    'go test ./...',
    'cargo clippy',
    'ruff check src',
    'tsc --noEmit',
    'foo status',
    '/opt/tool status --long',
    'cat .env',
    'git config --list',
    'env',
    'while pgrep x; do sleep 1; done; tail log',
    'git ls-remote origin',
  ])('%s', (command) => {
    expect(classify(command)).toMatchObject({ allow: false, ephemeral: true })
  })

  it.each([
    'sleep 5',
    'git fetch',
    'tail -f log',
    'top',
    'watch ls',
    'while true; do ls; done',
    'npm test -- --fix',
    'npx eslint --fix .',
    'npx prettier --write .',
    'ruff check --fix',
    'npm run build',
    'curl -X POST http://x',
    'curl -XDELETE http://x',
    'curl -d a=b http://x',
    'curl -o F http://x',
    'curl -O http://x',
    "gh api graphql -f query='mutation{x}'",
    'git pull',
    'ls; rm f',
    'npm test > log',
    'git status & npm test',
  ])('but not %s', (command) => {
    expect(classify(command)).toMatchObject({ allow: false, ephemeral: false })
  })
})

describe('the working directory', () => {
  it('counts for relative names of secrets and devices', () => {
    expect(classify('cat id_rsa', { cwd: '/home/a/.ssh' }).allow).toBe(false)
    expect(classify('cat config', { cwd: '/home/a/.ssh' }).allow).toBe(false)
    expect(classify('cat config', { cwd: '/home/a/project' }).allow).toBe(true)
    expect(classify('cat zero', { cwd: '/dev' }).allow).toBe(false)
    expect(classify('cat ../.env', { cwd: '/a/b' }).allow).toBe(false)
    expect(classify('(cd /proc/self); cat environ').allow).toBe(true)
  })

  it('may hold a blank, which splits an unquoted $(pwd)', () => {
    expect(classify('cd "a -delete" && find $(pwd)').allow).toBe(false)
    expect(classify('find $(pwd) -name x').allow).toBe(true)
  })
})

describe('limits', () => {
  it.each([
    ['length', `ls ${'a'.repeat(MOST_CHARACTERS - 3)}`, `ls ${'a'.repeat(MOST_CHARACTERS - 2)}`],
    ['commands', `ls${';ls'.repeat(MOST_COMMANDS - 1)}`, `ls${';ls'.repeat(MOST_COMMANDS)}`],
    [
      'depth',
      `${'( '.repeat(MOST_DEPTH)}ls${' )'.repeat(MOST_DEPTH)}`,
      `${'( '.repeat(MOST_DEPTH + 1)}ls${' )'.repeat(MOST_DEPTH + 1)}`,
    ],
    [
      'loop words',
      `for x in ${'a '.repeat(MOST_LOOP_WORDS)}; do :; done`,
      `for x in ${'a '.repeat(MOST_LOOP_WORDS + 1)}; do :; done`,
    ],
    ['brace words', `echo {1..${MOST_LOOP_WORDS}}`, `echo {1..${MOST_LOOP_WORDS + 1}}`],
  ])('of %s are sharp', (_name, within, beyond) => {
    expect(classify(within).allow).toBe(true)
    expect(classify(beyond).allow).toBe(false)
  })

  it('do not read what is too long', () => {
    // Reading a million unfinished substitutions would take seconds.
    const { allow, parts } = classify('$('.repeat(500_000))
    expect(allow).toBe(false)
    expect(parts).toHaveLength(1)
  })
})
