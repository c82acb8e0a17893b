import { describe, expect, it } from 'vitest'
import { assistant, exchange, long, transcriptOf, user } from '../../../test/support/transcripts.ts'
import { apply } from '../apply.ts'
import type { JsonObject } from '../transcript.ts'
import { callArguments, DEFAULT_ARGUMENTS } from './arguments.ts'

const context = { answerLast: false }
const later = Array.from({ length: 20 }, (_, index) => exchange(`n${index}`, 'ok')).flat()
const write: JsonObject = {
  file_path: '/w/a.ts',
  content: long('const a = 1'),
  count: 12,
  nested: [{ text: long('deep') }],
}

describe('arguments', () => {
  it('replaces long strings of a call that is 20 turns old; object, keys, paths and numbers stay', () => {
    const transcript = transcriptOf([user('task'), ...exchange('w', 'ok', 'Write', write), ...later])
    const edits = callArguments(transcript, DEFAULT_ARGUMENTS, context)
    const call = apply(transcript, edits).messages[1]?.blocks[0]
    if (call?.type !== 'call') throw new Error('expected the call')
    expect(Object.keys(call.input)).toEqual(['file_path', 'content', 'count', 'nested'])
    expect(call.input.file_path).toBe('/w/a.ts')
    expect(call.input.count).toBe(12)
    expect(call.input.content).toMatch(/^\[spillway [a-z2-7]{12}: Write content, 4,000 characters\. Back: /)
    expect(JSON.stringify(call.input.nested)).toContain('Write text')
    expect(edits[0]?.removed.map((removed) => removed.content)).toEqual([long('const a = 1'), long('deep')])
  })

  it('waits for 20 newer turns', () => {
    const transcript = transcriptOf([user('task'), ...exchange('w', 'ok', 'Write', write), ...later.slice(2)])
    expect(callArguments(transcript, DEFAULT_ARGUMENTS, context)).toEqual([])
  })

  it('keeps commands whole, whatever their length', () => {
    const command = { command: long('cat <<EOF') }
    const transcript = transcriptOf([user('task'), ...exchange('c', 'ok', 'Bash', command), ...later])
    expect(callArguments(transcript, DEFAULT_ARGUMENTS, context)).toEqual([])
  })

  it('never edits an unanswered call', () => {
    const transcript = transcriptOf([user('task'), assistant({ call: 'w', tool: 'Write', input: write }), ...later])
    expect(callArguments(transcript, DEFAULT_ARGUMENTS, context)).toEqual([])
  })

  it('proposes nothing on its own result', () => {
    const transcript = transcriptOf([user('task'), ...exchange('w', 'ok', 'Write', write), ...later])
    const once = apply(transcript, callArguments(transcript, DEFAULT_ARGUMENTS, context))
    expect(callArguments(once, DEFAULT_ARGUMENTS, context)).toEqual([])
  })
})
