import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { glanceTables, withTables } from '../scripts/generate-glance-docs.ts'

describe('docs/glance.md', () => {
  it('holds the tables as the code has them (npx tsx scripts/generate-glance-docs.ts)', () => {
    const document = readFileSync(new URL('../docs/glance.md', import.meta.url), 'utf8')
    expect(withTables(document)).toBe(document)
    expect(glanceTables()).toContain('| `git branch` |')
  })

  it('says where the marks are missing', () => {
    expect(() => withTables('# no marks')).toThrow(/docs\/glance\.md.*generated: begin/)
  })
})
