/** The reference's own examples, in place; skipped where the shared folder is absent. */
import { existsSync, readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { describe, expect, it } from 'vitest'
import { DATA, noticeMissing } from '../../../test/support/shared.ts'
import { checkRequest, type Finding, prefixMemory, REQUEST_FORMATS, RULES, remember } from './index.ts'

interface ReferenceRule {
  readonly id: string
  readonly format: string
  readonly severity: string
  readonly evidence: string
  readonly illegal?: Example | null
  readonly legal?: Example | null
}
type Example = Readonly<Record<string, unknown>>

const FILE = resolve(DATA, '../reference/message-rules.json')
const present = existsSync(FILE)
if (!present) noticeMissing('reference/message-rules.json')
const reference: readonly ReferenceRule[] = present ? JSON.parse(readFileSync(FILE, 'utf8')) : []
const wire = reference.filter(({ format }) => REQUEST_FORMATS.some((known) => known === format))

/** Warn only: their rejection is itself said to be inferred, whatever the evidence of the shape. */
const UNCONFIRMED = ['A65', 'B31']
/** What is forged can only be told from what was received, so the legal twin is received first. */
const AGAINST_THE_TWIN = ['A28', 'A29', 'A30', 'A41', 'A48']

/** Legal examples that another rule's illegal example forbids: they were written for their own rule alone. */
const FORBIDDEN_BY: Readonly<Record<string, string>> = { F01: 'F03', F02: 'F03', F22: 'F21', F23: 'F21' }

const isRequest = (example: Example | null | undefined): example is Example =>
  !!example && (!('note' in example) || 'next_request' in example)

const isRefusal = ({ severity }: Finding): boolean => severity === 'reject'

function check(rule: ReferenceRule, example: Example): Finding[] {
  const memory = prefixMemory()
  const first = rule.illegal?.first_request ?? (AGAINST_THE_TWIN.includes(rule.id) ? rule.legal : undefined)
  if (first) remember(memory, first)
  const request = example.next_request ?? example
  const format = REQUEST_FORMATS.find((known) => known === rule.format) ?? 'anthropic-messages'
  return checkRequest(format, request, first ? { memory } : {})
}

describe.skipIf(!present)('the reference', () => {
  it('knows the same rules, with the same severity and evidence', () => {
    const expected = reference.map(({ id, format, severity, evidence }) => {
      const confirmed = evidence !== 'inferred' && !UNCONFIRMED.includes(id)
      return { id, format, evidence, severity: severity === 'reject' && !confirmed ? 'warn' : severity }
    })
    const known = RULES.map(({ id, format, evidence, severity }) => ({ id, format, evidence, severity }))
    expect(known).toEqual(expected.sort((a, b) => (a.id < b.id ? -1 : 1)))
  })

  it.each(wire.filter(({ illegal }) => isRequest(illegal)).map((rule) => [rule.id, rule] as const))(
    '%s: the illegal example is flagged under its own id',
    (id, rule) => {
      const own = check(rule, rule.illegal ?? {}).filter((finding) => finding.rule === id)
      const confirmed = rule.evidence !== 'inferred' && !UNCONFIRMED.includes(id)
      expect(own.map(({ severity }) => severity)).toContain(confirmed ? rule.severity : 'warn')
    },
  )

  it.each(wire.filter(({ legal }) => isRequest(legal)).map((rule) => [rule.id, rule] as const))(
    '%s: the legal example is refused by nothing',
    (id, rule) => {
      const refusals = check(rule, rule.legal ?? {}).filter(isRefusal)
      expect(refusals.filter((finding) => finding.rule !== FORBIDDEN_BY[id])).toEqual([])
    },
  )

  it('the first refusal of an illegal example is its own rule', () => {
    const firsts = wire.filter(({ illegal, format }) => isRequest(illegal) && format === 'anthropic-messages')
    const refused = firsts.map((rule) => [rule.id, check(rule, rule.illegal ?? {}).find(isRefusal)?.rule] as const)
    expect(refused.filter(([id, first]) => first !== undefined && first !== id)).toEqual([])
  })

  it('reads enough examples to mean something', () => {
    expect(wire.filter(({ illegal }) => isRequest(illegal)).length).toBeGreaterThan(90)
  })
})
