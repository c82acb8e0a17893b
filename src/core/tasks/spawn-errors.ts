/**
 * Pass 2 of the lifecycle scan (seed O3): what the answer to a spawn says. OpenClaw marked refusals as errors only
 * from 2026.6.11 on, so the status decides, not the flag; a refusal may name a child all the same.
 */
import type { ResultBlock } from '../transcript.ts'
import { toldByAnswer } from './answers.ts'
import type { Spawn } from './spawns.ts'
import type { Told } from './told.ts'

/** Undefined while nobody has answered. */
export function answerTo({ exchange: { result } }: Spawn): Told | undefined {
  if (!result) return undefined
  if (result.denied === 'person' || result.denied === 'machine') return { status: 'refused', ids: [] }
  if (result.denied === 'stopped' || result.invented) return { status: 'failed', ids: result.task?.ids ?? [] }
  const words = toldByAnswer(wordsOf(result), result.isError)
  const mark = result.task
  if (!mark) return words
  return {
    ...words,
    ...(mark.status === undefined ? {} : { status: mark.status }),
    ids: [...new Set([...mark.ids, ...words.ids])],
    ...(mark.tokens === undefined ? {} : { tokens: mark.tokens }),
    ...(mark.durationMs === undefined ? {} : { durationMs: mark.durationMs }),
  }
}

export function wordsOf(result: ResultBlock): string {
  return result.parts.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('\n')
}
