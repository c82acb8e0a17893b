/**
 * Thinking over any number of epochs, in a loop that keeps its own array: every request is judged by a provider that
 * remembers behind which prefix each piece of thinking was made (A28-A36), and says so as the real one does.
 */
import fc from 'fast-check'
import { describe, expect, it, vi } from 'vitest'
import { economize } from '../src/core/economy.ts'
import { chooseAll, type Policy } from '../src/core/policy.ts'
import { DEFAULT_RULES } from '../src/core/rules/index.ts'
import type { EconomyState } from '../src/core/state.ts'
import type { JsonObject } from '../src/core/transcript.ts'
import { checkRequest, prefixMemory, remember } from '../src/formats/legality/index.ts'
import { messages } from '../src/formats/messages/index.ts'

const RUNS = Number(process.env.SPILLWAY_PROPERTY_RUNS ?? 300)
vi.setConfig({ testTimeout: 120_000 * Math.max(1, RUNS / 300) })

interface Round {
  readonly thinking: boolean
  readonly calls: number
  readonly big: boolean
  /** The plan fires before this request. */
  readonly epoch: boolean
}

const rounds = fc.array(
  fc.record<Round>({ thinking: fc.boolean(), calls: fc.nat(2), big: fc.boolean(), epoch: fc.boolean() }),
  { minLength: 3, maxLength: 14 },
)

const SMALL = {
  ...DEFAULT_RULES,
  results: { keep: 1, keepReads: 1, minChars: 0 },
  arguments: { minTokens: 20, afterTurns: 1 },
  'call-lines': { afterTurns: 3 },
  ledger: { afterTurns: 5, keepTokens: 20 },
}
const policyFor = (epoch: boolean): Policy => ({
  name: 'epochs',
  rules: SMALL,
  choose: epoch ? chooseAll : (edits) => ({ edits: [], waiting: edits }),
})

const long = (what: string): string => `${what} `.repeat(150)

function answerOf(round: Round, index: number): JsonObject[] {
  const calls = Array.from({ length: round.calls }, (_, call): JsonObject => {
    const content = round.big ? long(`words of ${index}`) : 'short'
    return {
      type: 'tool_use',
      id: `toolu_${index}_${call}`,
      name: 'Write',
      input: { file_path: `/w/${index}`, content },
    }
  })
  return [
    ...(round.thinking ? [{ type: 'thinking', thinking: `hm ${index}`, signature: `SIG${index}` }] : []),
    ...(calls.length === 0 || index % 2 ? [{ type: 'text', text: `said ${index}` }] : []),
    ...calls,
  ]
}

function resultsOf(answer: readonly JsonObject[], index: number): JsonObject[] {
  const results = answer.flatMap((block): JsonObject[] =>
    block.type === 'tool_use'
      ? [{ type: 'tool_result', tool_use_id: block.id ?? '', content: long(`out ${index}`) }]
      : [],
  )
  return results.length > 0 ? results : [{ type: 'text', text: `go on ${index}` }]
}

interface Told {
  readonly refusals: string[]
  /** Thinking blocks that were sent, over all requests. */
  readonly thinking: number
  readonly edited: number
}

/** Runs the loop; `strips: false` leaves the thinking step out, as a control. */
function converse(model: string, told: readonly Round[], strips = true): Told {
  const memory = prefixMemory()
  const history: JsonObject[] = [{ role: 'user', content: 'the task' }]
  const refusals: string[] = []
  let state: EconomyState | undefined
  let thinking = 0
  let edited = 0
  told.forEach((round, index) => {
    const { transcript, native } = messages.read({ model, tools: [], max_tokens: 1000, messages: history })
    const out = economize(transcript, policyFor(round.epoch), { now: 0, limit: 184_000, model }, state)
    state = out.state
    const edits = strips ? out.edits : out.edits.filter(({ kind }) => kind !== 'strip-thinking')
    edited += edits.length
    const request = messages.write(native, edits)
    thinking += JSON.stringify(request).split('"type":"thinking"').length - 1
    const found = checkRequest('anthropic-messages', request, { memory })
    refusals.push(
      ...found.filter(({ severity }) => severity === 'reject').map(({ rule, message }) => `${rule} ${message}`),
    )
    const answer = answerOf(round, index)
    remember(memory, request, answer)
    history.push({ role: 'assistant', content: answer }, { role: 'user', content: resultsOf(answer, index) })
  })
  return { refusals, thinking, edited }
}

describe.each(['claude-opus-5-5', 'claude-sonnet-4-5', 'claude-opus-4-8', 'unheard-of-model'])('%s', (model) => {
  it('accepts every request of a loop, whenever the plan fires', () => {
    fc.assert(
      fc.property(rounds, (told) => {
        expect(converse(model, told).refusals).toEqual([])
      }),
      { numRuns: RUNS },
    )
  })
})

describe('the control', () => {
  const told = Array.from({ length: 8 }, (_, index) => ({
    thinking: true,
    calls: 1,
    big: true,
    epoch: index % 3 === 2,
  }))

  it('without the thinking step a model that binds its thinking refuses', () => {
    const control = converse('claude-opus-5-5', told, false)
    expect(control.edited).toBeGreaterThan(0)
    expect(control.refusals.join('\n')).toContain('A33')
  })

  it('with it some thinking stays on the wire', () => {
    const kept = converse('claude-opus-5-5', told)
    expect(kept.edited).toBeGreaterThan(0)
    expect(kept.refusals).toEqual([])
    expect(kept.thinking).toBeGreaterThan(0)
    expect(converse('claude-opus-4-8', told).thinking).toBeGreaterThan(kept.thinking)
  })
})
