/**
 * How many of the provider's tokens one estimated token is, and how many stand before the first message: from the
 * growth of recorded prompts. One factor for all kinds of content, so that what a rule frees and what it leaves are
 * measured alike; what the recording does not show (frames, reminders) is spread over what it does.
 */
import type { Message, Transcript } from '../core/transcript.ts'

/** Growths beyond this many times the estimate and this many tokens hold something that was not recorded. */
const OUTLIER_FACTOR = 5
const OUTLIER_TOKENS = 3000

export interface Measure {
  readonly scale: number
  /** Tokens. */
  readonly floor: number
}

interface Point {
  readonly estimate: number
  readonly prompt: number
}

/** Without recorded usage the estimates stand as they are, on no floor. */
export function measureOf(transcript: Transcript): Measure {
  const points = pointsOf(transcript.messages)
  const scale = scaleOf(points)
  const first = points[0]
  if (!first) return { scale, floor: 0 }
  // A recording that begins in the middle of a session opens with a prompt whose content it does not have; the
  // smallest prompt (right after a compaction) bounds what stands before everything.
  let floor = Math.max(0, first.prompt - scale * first.estimate)
  for (const { prompt } of points) floor = Math.min(floor, prompt)
  return { scale, floor: Math.round(floor) }
}

function pointsOf(messages: readonly Message[]): Point[] {
  const points: Point[] = []
  const seen = new Set<string>()
  let estimate = 0
  for (const message of messages) {
    const { usage, id } = message
    const isRequest =
      message.role === 'assistant' && message.kind !== 'api-error' && !(id !== undefined && seen.has(id))
    const prompt = usage ? usage.input + usage.cacheRead + usage.cacheWrite : 0
    if (isRequest && prompt > 0) points.push({ estimate, prompt })
    if (id !== undefined) seen.add(id)
    for (const block of message.blocks) estimate += block.tokens
  }
  return points
}

function scaleOf(points: readonly Point[]): number {
  let grown = 0
  let estimated = 0
  points.slice(1).forEach((point, index) => {
    const before = points[index] ?? point
    const growth = point.prompt - before.prompt
    const estimate = point.estimate - before.estimate
    const fell = growth <= 0
    if (fell || estimate <= 0 || growth > OUTLIER_FACTOR * estimate + OUTLIER_TOKENS) return
    grown += growth
    estimated += estimate
  })
  return estimated > 0 ? grown / estimated : 1
}
