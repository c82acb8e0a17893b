import { describe, expect, it } from 'vitest'
import { type RequestCase, RULE_EXAMPLES } from '../../../test/support/rule-examples/index.ts'
import { checkRequest, type Finding, prefixMemory, type RequestFormat, RULES, remember } from './index.ts'

function check(format: RequestFormat, example: RequestCase, skipped?: ReadonlySet<string>): Finding[] {
  const { request, after, context = {} } = example
  if (after === undefined) return checkRequest(format, request, context, skipped)
  const memory = prefixMemory()
  for (const earlier of after) remember(memory, earlier.request, earlier.answer)
  return checkRequest(format, request, { ...context, memory }, skipped)
}

const severityOf = new Map(RULES.map(({ id, severity }) => [id, severity]))

for (const { format, examples } of RULE_EXAMPLES) {
  describe(format, () => {
    for (const { rule, about, illegal, legal, says } of examples) {
      const name = about === undefined ? rule : `${rule} ${about}`
      if (illegal) {
        it(`${name}: the illegal request is flagged, and by this rule alone under this id`, () => {
          const own = check(format, illegal).filter((finding) => finding.rule === rule)
          expect(own.map(({ severity }) => severity)).toContain(severityOf.get(rule))
          if (says) expect(own.map(({ message }) => message).join('\n')).toMatch(says)
          expect(check(format, illegal, new Set([rule])).map((finding) => finding.rule)).not.toContain(rule)
        })
      }
      it(`${name}: the legal request is clean`, () => {
        const found = check(format, legal)
        expect(found.filter((finding) => finding.rule === rule)).toEqual([])
        expect(found.filter(({ severity }) => severity === 'reject')).toEqual([])
      })
    }

    it('has an example of every rule of this format', () => {
      const own = RULES.filter((rule) => rule.format === format)
      const refusing = examples.filter(({ illegal }) => illegal !== undefined).map(({ rule }) => rule)
      const accepting = examples.filter(({ illegal }) => illegal === undefined).map(({ rule }) => rule)
      expect(new Set(refusing)).toEqual(
        new Set(own.filter(({ severity }) => severity !== 'accept').map(({ id }) => id)),
      )
      expect(new Set(accepting)).toEqual(
        new Set(own.filter(({ severity }) => severity === 'accept').map(({ id }) => id)),
      )
    })
  })
}

describe('registry', () => {
  it('names 140 rules, each once', () => {
    expect(RULES).toHaveLength(140)
    expect(new Set(RULES.map(({ id }) => id)).size).toBe(140)
  })

  it('lets nothing inferred refuse', () => {
    expect(RULES.filter(({ evidence, severity }) => evidence === 'inferred' && severity === 'reject')).toEqual([])
  })

  it('only warns about what is not confirmed in a rule that refuses', () => {
    const image = { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'A'.repeat(6 * 2 ** 20) } }
    const paused = { type: 'server_tool_use', id: 'srvtoolu_1', name: 'code_execution', input: {} }
    const request = {
      context_management: { edits: [] },
      messages: [
        { role: 'user', content: [image] },
        { role: 'assistant', content: [paused] },
      ],
    }
    const found = checkRequest('anthropic-messages', request)
    expect(found.filter(({ rule }) => rule !== 'A54').map(({ rule, severity }) => `${rule} ${severity}`)).toEqual([
      'A25 warn',
      'A37 warn',
      'A53 warn',
    ])
  })

  it('answers an oversized body with 413, everything else with 400', () => {
    const large = checkRequest('anthropic-messages', { messages: [] }, { bodyBytes: 2 ** 30 })
    expect(large.map(({ rule, status }) => [rule, status])).toEqual([
      ['A01', 400],
      ['A63', 413],
    ])
  })
})
