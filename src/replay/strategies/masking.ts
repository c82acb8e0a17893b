/** Strategies that take old results out and leave a placeholder; no model is called. */
import type { Strategy } from '../strategy.ts'
import { clear, clearable, resultItems, sentCounter } from './placeholders.ts'

const HOUR = 3_600_000
const KEEP = 10

/** Masks everything but the newest 10 results at every call (SWE-agent's LastNObservations; Complexity Trap's window). */
export const SLIDING_MASK: Strategy = {
  name: 'sliding-mask',
  recoverable: false,
  player(recording) {
    const results = resultItems(recording)
    const sent = sentCounter(results)
    let next = 0
    return (_, prompt) => {
      for (const end = sent(prompt) - KEEP; next < end; next++) clear(prompt, results[next] ?? 0)
    }
  },
}

/** The same, but only where the cache is cold anyway. */
export const COLD_ONLY: Strategy = {
  name: 'cold-only',
  recoverable: true,
  player(recording, terms) {
    const play = SLIDING_MASK.player(recording, terms)
    return (moment, prompt) => {
      if (moment.cold) play(moment, prompt)
    }
  },
}

/** `clear_tool_uses_20250919`: platform.claude.com/docs/en/build-with-claude/context-editing (trigger, keep). */
const CLEAR_TRIGGER = 100_000
const CLEAR_KEEP = 3
/** `clear_at_least`, which the same page advises where prompts are cached. */
const CLEAR_AT_LEAST = 20_000

function clearToolUses(name: string, atLeast: number): Strategy {
  return {
    name,
    recoverable: false,
    player(recording) {
      const results = resultItems(recording)
      const sent = sentCounter(results)
      let next = 0
      let seen = 0
      let gain = 0
      return (_, prompt) => {
        const end = Math.max(0, sent(prompt) - CLEAR_KEEP)
        for (; seen < end; seen++) gain += clearable(prompt, results[seen] ?? 0)
        if (prompt.total() <= CLEAR_TRIGGER || gain < atLeast) return
        for (; next < end; next++) clear(prompt, results[next] ?? 0)
        gain = 0
      }
    },
  }
}

export const CLEAR_TOOL_USES = clearToolUses('clear-tool-uses', 0)
export const CLEAR_TOOL_USES_20K = clearToolUses('clear-tool-uses-20k', CLEAR_AT_LEAST)

const FLOWER_KEEP = 20
const FLOWER_CHARS = 2000

/** flower's pruning store when a session is loaded again (seeds F6): results of 2,000 characters, newest 20 kept. */
export const FLOWER_AT_RESUME: Strategy = {
  name: 'flower-at-resume',
  recoverable: true,
  player(recording) {
    const results = resultItems(recording)
    const sent = sentCounter(results)
    let next = 0
    return ({ gap }, prompt) => {
      if (gap <= HOUR) return
      for (const end = sent(prompt) - FLOWER_KEEP; next < end; next++) {
        const item = results[next] ?? 0
        if ((recording.items[item]?.chars ?? 0) >= FLOWER_CHARS) clear(prompt, item)
      }
    }
  },
}
