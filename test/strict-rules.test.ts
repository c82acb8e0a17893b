/**
 * The strict server against every example of a rule: the shared list's own, and ours. The illegal one is refused
 * under its rule with the status and in the words of the provider, the legal twin is served. Rules that only warn
 * refuse nothing.
 */
import { existsSync, readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { describe, expect, it } from 'vitest'
import { type RequestFormat, RULES } from '../src/formats/legality/index.ts'
import { answer, say, scriptedModel, type WireBlock, type WireRequest } from '../src/testing/index.ts'
import { type RequestCase, RULE_EXAMPLES } from './support/rule-examples/index.ts'
import { DATA, noticeMissing } from './support/shared.ts'

const LIST = resolve(DATA, '../reference/message-rules.json')

/** Where each format is served, with the model that says which provider it is. */
const SERVED: Partial<Record<RequestFormat, { readonly path: string; readonly model?: string }>> = {
  'anthropic-messages': { path: '/v1/messages' },
  'openai-chat': { path: '/v1/chat/completions' },
  'openai-responses': { path: '/v1/responses' },
  deepseek: { path: '/v1/chat/completions', model: 'deepseek-reasoner' },
  mistral: { path: '/v1/chat/completions', model: 'mistral-large-latest' },
}

type Example = Readonly<Record<string, unknown>>

interface ListedRule {
  readonly id: string
  readonly format: RequestFormat
  readonly error: string
  readonly illegal: Example | null
  readonly legal: Example | null
}

type Earlier = NonNullable<RequestCase['after']>[number]

interface Posted {
  readonly status: number
  readonly message: string
  readonly rule: string | undefined
}

/** Legal examples that another rule's illegal example forbids: they were written for their own rule alone. */
const FORBIDDEN_BY: Readonly<Record<string, string>> = { F01: 'F03', F02: 'F03', F22: 'F21', F23: 'F21' }
/** The list states no words for them, or those of another clause of the rule than its example breaks. */
const WORDS_NOT_STATED = ['A15', 'A16', 'A26', 'A34', 'A44', 'A45', 'A49', 'B27']
/** These break another rule or clause besides, which the provider's order names first. */
const SAID_SECOND: Readonly<Record<string, string>> = {
  'A47 two of them': 'A47',
  'A49 unfinished': 'A09',
  'A59 empty text': 'A07',
}
/** How many of the words of the stated error's first sentence the answer must hold; the rest are places and ids. */
const SAME_WORDS = 0.6

const statuses = new Map(RULES.map(({ id, status }) => [id, status]))
const severities = new Map(RULES.map(({ id, severity }) => [id, severity]))

const present = existsSync(LIST)
if (!present) noticeMissing('the shared list of message rules')
const listed: readonly ListedRule[] = present ? JSON.parse(readFileSync(LIST, 'utf8')) : []

function isRequest(example: Example | null): example is Example {
  return example !== null && (!('note' in example) || 'next_request' in example)
}

/** Posts one request to a server that has answered those of `known`. */
async function post(
  format: RequestFormat,
  request: unknown,
  known: readonly Earlier[],
  betas: readonly string[] = [],
): Promise<Posted> {
  const served = SERVED[format] ?? { path: '/v1/messages' }
  const window = Number.MAX_SAFE_INTEGER
  const model = await scriptedModel({ script: () => answer(say('ok')), strict: true, window })
  try {
    for (const earlier of known) model.learn(earlier.request as WireRequest, earlier.answer as WireBlock[] | undefined)
    const named = served.model === undefined ? {} : { model: served.model }
    const path = format === 'deepseek' && Object.hasOwn(request as object, 'input') ? '/v1/responses' : served.path
    const response = await fetch(`${model.url}${path}`, {
      method: 'POST',
      headers: { 'anthropic-beta': betas.join(',') },
      body: JSON.stringify({ ...named, ...(request as object) }),
    })
    const body: { error?: { message: string } } = JSON.parse(await response.text())
    return { status: response.status, message: body.error?.message ?? '', rule: model.refusals()[0]?.refusal?.rule }
  } finally {
    await model.close()
  }
}

describe.skipIf(!present)('the shared list', () => {
  const executable = listed.filter(({ format, illegal }) => format in SERVED && isRequest(illegal))
  const counts = { refused: 0, warned: 0, twins: 0 }

  it.each(executable.map((rule) => [rule.id, rule] as const))('%s', async (id, rule) => {
    // What is forged can only be told from what was received, so the legal twin is received first.
    const known = [{ request: rule.illegal?.first_request ?? rule.legal ?? {} }]
    const illegal = await post(rule.format, rule.illegal?.next_request ?? rule.illegal, known)
    if (severities.get(id) === 'reject') {
      expect(illegal).toMatchObject({ status: 400, rule: id })
      if (!WORDS_NOT_STATED.includes(id)) expect(sharedWords(rule.error, illegal.message)).toBeGreaterThan(SAME_WORDS)
      counts.refused++
    } else {
      expect(illegal.rule).not.toBe(id)
      counts.warned++
    }
    if (!isRequest(rule.legal)) return
    const legal = await post(rule.format, rule.legal.next_request ?? rule.legal, known)
    if (legal.rule === undefined || legal.rule !== FORBIDDEN_BY[id]) {
      expect(legal).toMatchObject({ status: 200, message: '' })
    }
    counts.twins++
  })

  it('has examples enough to mean something', () => {
    const { refused, warned, twins } = counts
    process.stdout.write(`the shared list: ${refused} refused, ${warned} only warned about, ${twins} twins served\n`)
    expect(refused).toBeGreaterThan(60)
    expect(twins).toBeGreaterThan(70)
  })
})

/** Share of the words of the stated error that the answer holds; of its alternatives the nearest. */
function sharedWords(stated: string, said: string): number {
  const words = (text: string): string[] => text.toLowerCase().match(/[a-z_]{3,}/g) ?? []
  const found = new Set(words(said))
  const alternatives = stated.replaceAll(/\(typical\)|\(code \d+\)|error_code/g, '').split(/ \| |\| | \/ /)
  const shares = alternatives.map((alternative) => {
    const expected = words(alternative.split('. ')[0] ?? '')
    return expected.filter((word) => found.has(word)).length / Math.max(1, expected.length)
  })
  return Math.max(...shares)
}

describe('our own examples', () => {
  for (const { format, examples } of RULE_EXAMPLES) {
    if (!(format in SERVED)) continue
    it.each(examples.map(({ rule, about = '', ...cases }) => [rule, about, cases] as const))(
      `${format} %s %s`,
      async (rule, about, { illegal, legal, says }) => {
        if (illegal && isPostable(illegal)) {
          const refused = await postCase(format, illegal, legal)
          if (severities.get(rule) === 'reject') {
            const second = SAID_SECOND[`${rule} ${about}`]
            expect(refused).toMatchObject({ status: statuses.get(rule) ?? 400, rule: second ?? rule })
            if (says && second === undefined) expect(refused.message).toMatch(says)
          } else expect(refused.rule).not.toBe(rule)
        }
        if (isPostable(legal)) expect(await postCase(format, legal, legal)).toMatchObject({ status: 200, message: '' })
      },
    )
  }
})

/** Counted tokens and bytes are the server's own business; a request that is no object never reaches a rule. */
function isPostable({ request, context = {} }: RequestCase): boolean {
  const counted = context.inputTokens !== undefined || context.bodyBytes !== undefined
  return !counted && typeof request === 'object' && request !== null
}

async function postCase(format: RequestFormat, posted: RequestCase, legal: RequestCase): Promise<Posted> {
  const { request, after = [{ request: legal.request }], context = {} } = posted
  return post(format, request, after, context.betas)
}
