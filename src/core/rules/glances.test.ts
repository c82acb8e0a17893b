import { describe, expect, it } from 'vitest'
import { assistant, exchange, long, transcriptOf, user } from '../../../test/support/transcripts.ts'
import { apply } from '../apply.ts'
import { glances } from './glances.ts'

const context = { answerLast: false }
const keepNone = { keep: 0, maxChars: 2000 }
const status = (id: string, text = long('On branch main', 60)) => exchange(id, text, 'Bash', { command: 'git status' })
const expire = (sketches: Parameters<typeof transcriptOf>[0], options = keepNone) =>
  glances(transcriptOf([user('task'), ...sketches]), options, context)
const texts = (edits: ReturnType<typeof expire>) =>
  edits.map((edit) => (edit.kind === 'replace-result' ? edit.text : ''))

describe('glances', () => {
  it('beyond the newest 6 only the command stays, without age, clock or reference', () => {
    const eight = Array.from({ length: 8 }, (_, index) => status(`t${index}`)).flat()
    const edits = expire(eight, { keep: 6, maxChars: 2000 })
    expect(edits.map((edit) => edit.at.entry)).toEqual([2, 4])
    expect(texts(edits)).toEqual(['[stale; run again: git status]', '[stale; run again: git status]'])
    expect(edits[0]?.removed[0]).toMatchObject({ content: long('On branch main', 60), target: 'git status' })
  })

  it('work commands and other tools never expire', () => {
    const work = exchange('a', long('built', 200), 'Bash', { command: 'npm run build' })
    const read = exchange('b', long('text', 200), 'Read', { file_path: '/w/a', command: 'ls' })
    expect(expire([...work, ...read])).toEqual([])
  })

  it('a failed glance keeps its error sense', () => {
    const [edit] = expire([
      assistant({ call: 'a', input: { command: 'cat missing.txt' } }),
      user({ result: 'a', text: 'cat: missing.txt: No such file or directory\n'.repeat(3), error: true }),
    ])
    expect(texts(edit ? [edit] : [])).toEqual(['[stale failure; run again: cat missing.txt]'])
  })

  it('is not made when it would not be shorter, and leaves long results to the results rule', () => {
    expect(expire(status('a', '/w'))).toEqual([])
    expect(expire(status('a', long('x', 2001)))).toEqual([])
  })

  it('leaves pointers, refusals and images alone, and proposes nothing on its own result', () => {
    const pointer = '[spillway abcdefghijkl: Bash git status, 4,000 characters. Back: spillway recall abcdefghijkl]'
    const picture = { type: 'image' as const, mediaType: 'image/png', bytes: 9, width: 900, height: 900 }
    expect(expire(status('a', pointer))).toEqual([])
    expect(
      expire([assistant({ call: 'a', input: { command: 'ls' } }), user({ result: 'a', parts: [picture] })]),
    ).toEqual([])
    const transcript = transcriptOf([user('task'), ...status('a')])
    expect(glances(apply(transcript, glances(transcript, keepNone, context)), keepNone, context)).toEqual([])
  })

  it('a long command is cut in the middle', () => {
    const command = `ls ${Array.from({ length: 60 }, (_, index) => `folder-${index}`).join(' ')}`
    const edits = expire(exchange('a', long('x', 900), 'Bash', { command }))
    expect(texts(edits)[0]).toMatch(/^\[stale; run again: ls folder-0 .*….*folder-59\]$/)
  })
})
