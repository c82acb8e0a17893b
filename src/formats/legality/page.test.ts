import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { RULE_PAGE, withRuleTable } from '../../../scripts/rule-table.ts'

it('docs/legality.md lists the rules as they are (npm run rule-table)', () => {
  const page = readFileSync(RULE_PAGE, 'utf8')
  expect(withRuleTable(page)).toBe(page)
})
