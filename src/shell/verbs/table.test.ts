import { describe, expect, it } from 'vitest'
import type { Verb } from '../verb.ts'
import { FAMILIES, verbNamed } from './table.ts'

function namesOf(verbs: readonly Verb[]): readonly string[] {
  return verbs.flatMap((verb) => verb.names)
}

function twice(names: readonly string[]): readonly string[] {
  return names.filter((name, at) => names.indexOf(name) !== at)
}

describe('the verb tables', () => {
  it('name every verb once', () => {
    expect(twice(namesOf(FAMILIES.flatMap((family) => family.verbs)))).toEqual([])
  })

  it('name every sub-verb once, and refuse none that they allow', () => {
    const check = (verb: Verb): void => {
      const names = namesOf(verb.verbs ?? [])
      expect(twice(names)).toEqual([])
      expect(names.filter((name) => verb.refusedVerbs?.[name] !== undefined)).toEqual([])
      for (const sub of verb.verbs ?? []) check(sub)
    }
    for (const family of FAMILIES) for (const verb of family.verbs) check(verb)
  })

  it('hold no name of an interpreter, an editor or a writer but for its version', () => {
    for (const name of 'rm mv cp tee dd touch mkdir chmod kill sh eval exec source vi ssh make'.split(' ')) {
      const verb = verbNamed(name)
      expect(verb === undefined || verb.exactly !== undefined).toBe(true)
    }
    expect(verbNamed('bash')?.exactly).toEqual(['--version'])
    expect(verbNamed('rm')).toBeUndefined()
  })
})
