/**
 * `npm run rule-table` writes the table of all rules into docs/legality.md, from the registry; a test fails when the
 * page says something else.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type RegisteredRule, RULES } from '../src/formats/legality/index.ts'

export const RULE_PAGE = fileURLToPath(new URL('../docs/legality.md', import.meta.url))
const START = '<!-- rules: written by npm run rule-table -->'
const END = '<!-- end of rules -->'

/** The page with the table of today's registry in its place. */
export function withRuleTable(page: string): string {
  const start = page.indexOf(START)
  const end = page.indexOf(END)
  if (start < 0 || end < start) throw new Error(`docs/legality.md: expected ${START} and ${END}`)
  return `${page.slice(0, start)}${START}\n\n${ruleTables()}\n\n${page.slice(end)}`
}

function ruleTables(): string {
  const formats = [...new Set(RULES.map(({ format }) => format))]
  return formats
    .map((format) =>
      ruleTable(
        format,
        RULES.filter((rule) => rule.format === format),
      ),
    )
    .join('\n\n')
}

function ruleTable(format: string, rules: readonly RegisteredRule[]): string {
  const rows = rules.map(
    ({ id, severity, evidence, statement }) => `| ${id} | ${severity} | ${evidence} | ${statement} |`,
  )
  const checkedBy = rules[0]?.checkedBy ?? ''
  return [
    `### ${format} (${rules.length}, checked by \`${checkedBy}\`)`,
    '',
    '| id | severity | evidence | rule |',
    '|---|---|---|---|',
    ...rows,
  ].join('\n')
}

if (process.argv[1] !== undefined && resolve(process.argv[1]) === fileURLToPath(import.meta.url)) {
  writeFileSync(RULE_PAGE, withRuleTable(readFileSync(RULE_PAGE, 'utf8')))
}
