/**
 * A long agent run, made up from a seed: a task, rules that the user adds on the way, rounds of parallel calls with
 * results of very different length, and facts planted everywhere, each a string that occurs nowhere else.
 */
import type { JsonObject } from '../../src/core/transcript.ts'

export type FactPlace = 'task' | 'user' | 'answer' | 'argument' | 'result'

export interface Fact {
  readonly text: string
  readonly place: FactPlace
}

export interface ChatCall {
  readonly id: string
  readonly type: 'function'
  readonly function: { readonly name: string; readonly arguments: string }
}

/** A message of OpenAI Chat: what every peer's shape is made of here. */
export type ChatMessage =
  | { readonly role: 'system' | 'user'; readonly content: string }
  | { readonly role: 'assistant'; readonly content: string; readonly tool_calls?: readonly ChatCall[] }
  | { readonly role: 'tool'; readonly tool_call_id: string; readonly content: string }

export interface Trajectory {
  readonly messages: readonly ChatMessage[]
  readonly facts: readonly Fact[]
  /** A phrase that only the task has. */
  readonly task: string
}

const TOOLS = ['read_file', 'run', 'search', 'list_folder', 'write_file'] as const
const MOST_PARALLEL = 3
/** One message in so many is a word of the user, and one in so many holds a fact. */
const USER_EVERY = 50
const FACT_EVERY = 4
const SHORT_CHARS = 300
const LONG_CHARS = 6_000
const LONG_SHARE = 0.15
const WORDS = (
  'the module returns a list of entries and the test expects that every entry has a name before it is written so look ' +
  'into parser config server cache handler index error value null retry timeout import export function class line'
).split(' ')

/** @param length how many messages, the system message included */
export function trajectoryOf(length: number, seed: number): Trajectory {
  const random = randomFrom(seed)
  const facts: Fact[] = []
  const messages: ChatMessage[] = []
  const below = (limit: number): number => Math.floor(random() * limit)
  const prose = (chars: number): string => {
    const words: string[] = []
    for (let size = 0; size < chars; ) {
      const word = WORDS[below(WORDS.length)] ?? ''
      words.push(word)
      size += word.length + 1
    }
    return words.join(' ')
  }
  const fact = (place: FactPlace): string => {
    const text = `fact-${place}-${facts.length}-${below(1e9).toString(36)}`
    facts.push({ text, place })
    return text
  }
  const sometimes = (place: FactPlace): string => (below(FACT_EVERY) === 0 ? ` The code is ${fact(place)}.` : '')

  const task = `Rework the billing service; the release name is ${fact('task')}`
  messages.push({ role: 'system', content: `You are a careful engineer. ${prose(1_200)}` })
  messages.push({ role: 'user', content: `${task}. ${prose(400)}` })
  while (messages.length < length) {
    if (messages.length % USER_EVERY < 2) {
      messages.push({ role: 'user', content: `From now on: ${prose(80)}, and remember ${fact('user')}.` })
    }
    const calls = Array.from({ length: 1 + below(MOST_PARALLEL) }, (_, index): ChatCall => {
      const name = TOOLS[below(TOOLS.length)] ?? 'run'
      const input: JsonObject = {
        path: `src/${prose(12).replaceAll(' ', '/')}.ts`,
        ...(name === 'write_file' ? { content: prose(1_500) + sometimes('argument') } : {}),
      }
      return {
        id: `call_${messages.length}_${index}`,
        type: 'function',
        function: { name, arguments: JSON.stringify(input) },
      }
    })
    messages.push({ role: 'assistant', content: prose(120) + sometimes('answer'), tool_calls: calls })
    for (const { id } of calls) {
      const chars = random() < LONG_SHARE ? LONG_CHARS : SHORT_CHARS
      const head = prose(below(chars))
      messages.push({ role: 'tool', tool_call_id: id, content: `${head}${sometimes('result')} ${prose(below(chars))}` })
    }
  }
  return { messages, facts, task }
}

/** mulberry32: small, and the same everywhere. */
function randomFrom(seed: number): () => number {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}
