/**
 * The strict server against the shared list of rules: for each rule it keeps, the list's illegal example is refused
 * under that rule and in the words of the API, and the legal twin is served.
 */
import { existsSync, readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { describe, expect, it } from 'vitest'
import { answer, say, scriptedModel, type WireMessage, type WireRequest } from '../src/testing/index.ts'
import { DATA, noticeMissing } from './support/shared.ts'

const RULES = resolve(DATA, '../reference/message-rules.json')
const KEPT = 'A01 A04 A06 A07 A08 A09 A10 A11 A12 A13 A14 A15 A16 A17 A19 A31 A32 A43'.split(' ')
const TWO_REQUESTS = ['A33', 'A34']

interface ListedRule {
  readonly id: string
  readonly error: string
  readonly illegal: Example
  readonly legal: Example
}

interface Example extends Partial<WireRequest> {
  readonly first_request?: Partial<WireRequest>
  readonly next_request?: Partial<WireRequest>
}

const present = existsSync(RULES)
if (!present) noticeMissing('the shared list of message rules')
const listed: ListedRule[] = present ? JSON.parse(readFileSync(RULES, 'utf8')) : []

/** Posts one example; a server that knows the thinking of `known` already. */
async function post(example: Partial<WireRequest>, known: Partial<WireRequest>[]) {
  const model = await scriptedModel({ script: () => answer(say('ok')), strict: true })
  try {
    for (const request of known) model.learn(asRequest(request))
    const response = await fetch(`${model.url}/v1/messages`, {
      method: 'POST',
      body: JSON.stringify(asRequest(example)),
    })
    const body: { error?: { message: string } } = JSON.parse(await response.text())
    return { status: response.status, message: body.error?.message ?? '', rule: model.refusals()[0]?.refusal?.rule }
  } finally {
    await model.close()
  }
}

function asRequest(example: Partial<WireRequest>): WireRequest {
  const messages: readonly WireMessage[] = example.messages ?? []
  return { model: 'claude-opus-5-5', max_tokens: 100, ...example, messages }
}

/** The first sentence of a refusal without the place it names. */
function firstSentence(message: string): string {
  return message.replace(/^messages[.\w]*: /, '').split(/\. |: toolu_/)[0] ?? ''
}

describe.skipIf(!present)('the listed examples', () => {
  it.each(listed.filter((rule) => KEPT.includes(rule.id)))('$id', async (rule) => {
    const refused = await post(rule.illegal, [rule.legal])
    expect(refused).toMatchObject({ status: 400, rule: rule.id })
    if (!rule.error.includes('A09 text')) expect(rule.error).toContain(firstSentence(refused.message))
    expect(await post(rule.legal, [rule.legal])).toMatchObject({ status: 200 })
  })

  it.each(listed.filter((rule) => TWO_REQUESTS.includes(rule.id)))('$id, as two requests', async (rule) => {
    const { first_request: first = {}, next_request: next = {} } = rule.illegal
    const refused = await post(next, [first])
    expect(refused).toMatchObject({ status: 400, rule: rule.id })
    expect(refused.message).toContain('The block is bound to a different conversation')
    expect(await post(rule.legal.next_request ?? {}, [first])).toMatchObject({ status: 200 })
  })
})
