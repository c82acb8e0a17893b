/** Recorded sessions one after the other, as if one run had gone on for thousands of calls. */
import type { Block, Message, ResultBlock, Transcript } from '../core/transcript.ts'
import { turnsOf } from '../core/transcript.ts'
import { type Measure, measureOf } from './measure.ts'
import { type Recording, recordingOf } from './recording.ts'

/** The pause between two sessions of a chain: long enough that no cache survives it. */
const PAUSE = 2 * 3_600_000

/** Takes the sessions in turn, again and again, until there are `calls` calls. Floors and scales are averaged. */
export function chainOf(transcripts: readonly Transcript[], calls: number): Recording {
  const first = transcripts[0]
  if (!first || !transcripts.some((transcript) => turnsOf(transcript).length > 0)) {
    throw new RangeError('a chain needs a session with a call')
  }
  const messages: Message[] = []
  let entries = 0
  let clock = 0
  let count = 0
  for (let round = 0; count < calls; round++) {
    const link = transcripts[round % transcripts.length] ?? first
    const turns = turnsOf(link)
    const cut = turns[calls - count]?.start ?? link.messages.length
    const started = link.messages.find((message) => message.time !== undefined)?.time ?? 0
    let highest = 0
    for (const message of link.messages.slice(0, cut)) {
      messages.push(moved(message, entries, message.time === undefined ? undefined : message.time - started + clock))
      for (const entry of message.entries) highest = Math.max(highest, entry)
    }
    entries += highest + 1
    clock = Math.max(clock, messages.at(-1)?.time ?? clock) + PAUSE
    count += Math.min(turns.length, calls - count)
  }
  const tools = {
    reads: new Set(transcripts.flatMap((link) => [...link.tools.reads])),
    shells: new Set(transcripts.flatMap((link) => [...link.tools.shells])),
  }
  return recordingOf({ ...first, messages, links: [], tools }, `chain of ${calls} calls`, meanOf(transcripts))
}

function moved(message: Message, by: number, time: number | undefined): Message {
  const { time: _, ...rest } = message
  return {
    ...rest,
    entries: message.entries.map((entry) => entry + by),
    blocks: message.blocks.map((block) => movedBlock(block, by)),
    ...(time === undefined ? {} : { time }),
  }
}

function movedBlock<Kind extends Block | ResultBlock>(block: Kind, by: number): Kind {
  return { ...block, at: { ...block.at, entry: block.at.entry + by } }
}

function meanOf(transcripts: readonly Transcript[]): Measure {
  const measures = transcripts.map(measureOf)
  const mean = (of: (measure: Measure) => number): number =>
    measures.reduce((sum, measure) => sum + of(measure), 0) / measures.length
  return { scale: mean(({ scale }) => scale), floor: Math.round(mean(({ floor }) => floor)) }
}
