import { describe, expect, it } from 'vitest'
import {
  assistant,
  BOUND,
  call,
  result,
  TOOL,
  text,
  thought,
  user,
} from '../../../../../test/support/rule-examples/messages.ts'
import { checkRequest, type PrefixMemory, prefixMemory, remember } from '../../index.ts'

const history = (...messages: unknown[]) => ({ model: BOUND, tools: [TOOL], messages })
const first = history(
  user('What is there?'),
  assistant(thought('sig-a'), call('toolu_a')),
  user(result('toolu_a', 'a listing')),
)
const answer = [thought('sig-b'), text('A listing.')]
const next = (seen: unknown, ...blocks: unknown[]) =>
  history(
    user('What is there?'),
    assistant(thought('sig-a'), call('toolu_a')),
    user(result('toolu_a', seen)),
    assistant(...blocks),
    user('So?'),
  )

function remembered(): PrefixMemory {
  const memory = prefixMemory()
  remember(memory, first, answer)
  return memory
}
const refusals = (request: unknown, memory: PrefixMemory): string[] =>
  checkRequest('anthropic-messages', request, { memory })
    .filter(({ severity }) => severity === 'reject')
    .map(({ rule, at }) => `${rule} ${at}`)

describe('prefix memory', () => {
  it('knows an answer in the next request', () => {
    expect(refusals(next('a listing', ...answer), remembered())).toEqual([])
    expect(refusals(next('gone', ...answer), remembered())).toEqual(['A33 messages.3.content.0'])
  })

  it('is plain data: what was written down and read again judges the same', () => {
    const copy: PrefixMemory = JSON.parse(JSON.stringify(remembered()))
    expect(copy).toEqual(remembered())
    expect(refusals(next('gone', ...answer), copy)).toEqual(['A33 messages.3.content.0'])
  })

  it('keeps what it saw first: an edited history does not become the original', () => {
    const memory = remembered()
    remember(memory, next('gone', ...answer))
    expect(refusals(next('gone', ...answer), memory)).toEqual(['A33 messages.3.content.0'])
  })

  it('goes on from an edited history whose thinking was taken out', () => {
    const memory = remembered()
    const stripped = next('gone', text('A listing.'))
    expect(refusals(stripped, memory)).toEqual([])
    remember(memory, stripped, [thought('sig-c'), text('Gone.')])
    const later = {
      ...stripped,
      messages: [...stripped.messages, assistant(thought('sig-c'), text('Gone.')), user('And?')],
    }
    expect(refusals(later, memory)).toEqual([])
  })

  it('holds nothing that can be read', () => {
    expect(JSON.stringify(remembered())).not.toMatch(/listing|sig-|toolu_/)
  })

  it('takes neighbouring messages of one role for one, as the provider does', () => {
    const split = next('a listing', ...answer)
    const messages = [...split.messages.slice(0, -1), user('So?')]
    messages.splice(1, 1, assistant(thought('sig-a')), assistant(call('toolu_a')))
    expect(refusals({ ...split, messages }, remembered())).toEqual([])
  })
})
