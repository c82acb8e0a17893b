import { describe, expect, it } from 'vitest'
import { literalCommands } from './literal-commands.ts'

const commandsOf = (script: string) =>
  literalCommands(script)?.map(({ name, words, piped }) => [piped ? '|' : '', name, ...words].filter(Boolean).join(' '))

describe('literalCommands', () => {
  it('names the commands of a plain script', () => {
    expect(commandsOf('cat a.txt')).toEqual(['cat a.txt'])
    expect(commandsOf('cd "my files" && sed -n \'1,40p\' a.txt | head -5; wc -l < b')).toEqual([
      'cd my files',
      'sed -n 1,40p a.txt',
      '| head -5',
      'wc -l b',
    ])
    expect(commandsOf('cat a 2>/dev/null\ncat b 2>&1')).toEqual(['cat a', 'cat b'])
    expect(commandsOf('FOO=1')).toBeUndefined()
  })

  it.each([
    'cat $FILE',
    'cat "$FILE"',
    'cat $(ls)',
    'cat *.txt',
    'cat ~/a',
    'cat a > b',
    'cat a &',
    'cat <<< text',
    'if true; then cat a; fi',
    '(cat a)',
    'cat a; find / $X',
    '! cat a',
    'time cat a',
    'cat "unclosed',
    'A=1 cat a',
    `cat ${'a'.repeat(20_000)}`,
  ])('finds more than literal commands in %s', (script) => {
    expect(literalCommands(script)).toBeUndefined()
  })
})
