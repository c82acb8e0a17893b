import { describe, expect, it } from 'vitest'
import { classify } from '../index.ts'

describe('what a pointer names as the way back', () => {
  it.each(['spillway recall 4oymiquy7qob', 'spillway recall timeout --tool Bash | head -20', 'spillway glance "ls"'])(
    '%s is a glance',
    (command) => {
      expect(classify(command, { cwd: '/' }).allow).toBe(true)
    },
  )
  it.each([
    'spillway recall x --archive /elsewhere',
    'spillway recall x > file',
    'spillway compact latest --in-place',
    'spillway gc',
    'spillway glance --batch',
    'spillway once "do it"',
  ])('%s is none', (command) => {
    expect(classify(command, { cwd: '/' }).allow).toBe(false)
  })
})
