import { describe, expect, it } from 'vitest'
import { forkedFile } from './fork.ts'

describe('forkedFile', () => {
  it.each([
    ['/s/abc.jsonl', 'abc', '/s/NEW.jsonl'],
    ['/s/2026-01-01T00-00-00-000Z_abc.jsonl.gz', 'abc', '/s/2026-01-01T00-00-00-000Z_NEW.jsonl'],
    ['/s/abc-topic-1.jsonl', 'abc', '/s/NEW-topic-1.jsonl'],
    ['/s/other.jsonl', 'abc', '/s/NEW.jsonl'],
  ])('puts the new id where %s has the old one, %s', (file, from, expected) => {
    expect(forkedFile(file, from, 'NEW')).toBe(expected)
  })

  it.each(['', 'e', 'session', '.', '../../x', '$&'])(
    'is the new id alone where the old one, "%s", names nothing',
    (from) => {
      expect(forkedFile('/s/mysessions.jsonl', from, 'NEW')).toBe('/s/NEW.jsonl')
    },
  )
})
