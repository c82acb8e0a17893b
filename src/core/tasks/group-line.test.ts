import { describe, expect, it } from 'vitest'
import { pointerReference } from '../pointer.ts'
import { groupLine, groupLineIn, namesOf } from './group-line.ts'

describe('the line of many tasks', () => {
  it('is a pointer that says how many, from which to which, and how they ended', () => {
    const facts = { ref: 'abcdefghijkl', level: 2, completed: 97, failed: 3, names: 'first … last' }
    const text = groupLine(facts)
    expect(text).toBe(
      '[spillway abcdefghijkl: 100 tasks first … last, 97 completed, 3 failed. Back: spillway recall abcdefghijkl]',
    )
    expect(pointerReference(text)).toBe('abcdefghijkl')
    expect(groupLineIn(text)).toEqual({ level: 2, completed: 97, failed: 3, names: 'first … last' })
  })

  it('other pointers are none', () => {
    const other = '[spillway abcdefghijkl: 12 calls, 340 characters. Back: spillway recall abcdefghijkl]'
    expect(groupLineIn(other)).toBeUndefined()
    expect(groupLineIn('10 tasks')).toBeUndefined()
    const line = groupLine({ ref: 'abcdefghijkl', level: 1, completed: 10, failed: 0, names: 'a … b' })
    expect(groupLineIn(line)).toBeDefined()
    expect(groupLineIn(`${line} as I said`)).toBeUndefined()
    expect(groupLineIn(`${line}\nas I said`)).toBeUndefined()
  })

  it('names lead from the first of the first to the last of the last', () => {
    expect(namesOf(['a … b', 'c … d'])).toBe('a … d')
    expect(namesOf(['one'])).toBe('one … one')
  })
})
