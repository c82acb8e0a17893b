import { describe, expect, it } from 'vitest'
import { denialOf, partialOutput } from './denial.ts'

const STOPPED =
  "The user doesn't want to proceed with this tool use. … Correction to the text above: this call was stopped while running, not refused before it ran."
const REFUSED = "The user doesn't want to proceed with this tool use. The tool use was rejected"

describe('denialOf', () => {
  it.each([
    ['stopped', { toolDenialKind: 'interrupted' }, 'x'],
    ['stopped', { toolDenialKind: 'cancelled' }, 'x'],
    ['stopped', { toolDenialKind: 'user-rejected' }, STOPPED],
    ['person', { toolDenialKind: 'user-rejected' }, REFUSED],
    ['person', { toolDenialKind: 'user-rejected', toolDenialBeforeRun: true }, REFUSED],
    ['person', { toolDenialKind: 'user-rejected', toolDenialBeforeRun: true }, STOPPED],
    ['person', { toolDenialKind: 'permission-rule', holdsPersonsWords: true }, 'HOST SAYS NO'],
    ['machine', { toolDenialKind: 'permission-rule' }, 'denied'],
    ['machine', { toolDenialKind: 'automode-blocked' }, 'blocked'],
    ['machine', { toolDenialKind: 'user-rejected', permissionDecision: { source: 'config' } }, 'needs approval'],
    ['machine', { toolDenialKind: 'user-rejected', permissionDecision: { source: 'config' } }, STOPPED],
    [undefined, { toolDenialKind: 'user-rejected', permissionDecision: { source: 'hook' } }, 'x'],
    [undefined, { toolDenialKind: 'something-new' }, 'x'],
  ])('%s: %j', (expected, fields, text) => {
    expect(denialOf(fields, true, text)).toBe(expected)
  })

  it('is none without the error flag', () => {
    expect(denialOf({ toolDenialKind: 'permission-rule' }, false, 'x')).toBeUndefined()
  })

  it('reads older recordings by the marker alone, as the last words of the result', () => {
    expect(denialOf({}, true, '[Request interrupted by user for tool use]')).toBe('stopped')
    expect(denialOf({}, true, 'half\n[Request interrupted by user]\n')).toBe('stopped')
    expect(denialOf({}, true, "expected '[Request interrupted' in output\n3 failed")).toBeUndefined()
    expect(denialOf({}, true, 'says [Request interrupted by user]')).toBeUndefined()
    expect(denialOf({}, true, REFUSED)).toBeUndefined()
  })
})

describe('partialOutput', () => {
  it('is what stands before the words of the harness', () => {
    expect(partialOutput(STOPPED)).toBe('')
    expect(partialOutput('[Request interrupted by user for tool use]')).toBe('')
    expect(partialOutput('half\nof it\n[Request interrupted by user for tool use]')).toBe('half\nof it')
    expect(partialOutput(`half\n${STOPPED}`)).toBe('half')
    expect(partialOutput('all of it')).toBe('all of it')
  })
})
