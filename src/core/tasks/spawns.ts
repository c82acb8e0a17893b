/** Pass 1 of the lifecycle scan (seed O3): the calls that delegate. */
import { elide } from '../pointer.ts'
import type { CallBlock, Exchange, JsonObject, Transcript } from '../transcript.ts'
import { exchangesOf } from '../transcript.ts'
import { openingOf } from './opening.ts'

export interface Spawn {
  /** The call's id; `#2` and so on where a session repeats it. */
  readonly id: string
  readonly exchange: Exchange
  readonly name: string
  readonly brief: string
}

export const BRIEF_KEYS: readonly string[] = ['prompt', 'task', 'brief', 'instructions', 'message', 'goal']
const NAME_KEYS: readonly string[] = ['label', 'taskName', 'description', 'name']
const MOST_NAME_CHARS = 60

export function spawnsIn(transcript: Transcript, tools: ReadonlySet<string>): Spawn[] {
  const seen = new Map<string, number>()
  return exchangesOf(transcript)
    .filter(({ call }) => tools.has(call.tool))
    .map((exchange) => {
      const { call } = exchange
      const count = (seen.get(call.id) ?? 0) + 1
      seen.set(call.id, count)
      const brief = stringUnder(call.input, briefKey(call) ?? '') ?? ''
      return { id: count === 1 ? call.id : `${call.id}#${count}`, exchange, name: nameOf(call, brief), brief }
    })
}

/** The argument that tells the worker what to do: by name, else the longest text. */
export function briefKey(call: CallBlock): string | undefined {
  const named = BRIEF_KEYS.find((key) => stringUnder(call.input, key) !== undefined)
  if (named !== undefined) return named
  const texts = Object.keys(call.input).filter((key) => stringUnder(call.input, key) !== undefined)
  return texts.toSorted(
    (a, b) => (stringUnder(call.input, b)?.length ?? 0) - (stringUnder(call.input, a)?.length ?? 0),
  )[0]
}

export function stringUnder(input: JsonObject, key: string): string | undefined {
  const value = input[key]
  return typeof value === 'string' && value.trim() !== '' ? value : undefined
}

function nameOf(call: CallBlock, brief: string): string {
  const key = NAME_KEYS.find((candidate) => stringUnder(call.input, candidate) !== undefined)
  return elide(stringUnder(call.input, key ?? '') ?? openingOf(brief, MOST_NAME_CHARS), MOST_NAME_CHARS)
}
