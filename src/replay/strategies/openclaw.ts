/**
 * OpenClaw's context pruning in mode `cache-ttl`, as it was when it had numbers to set (openclaw/openclaw
 * src/agents/pi-extensions/context-pruning/settings.ts, DEFAULT_CONTEXT_PRUNING_SETTINGS, and pruner.ts). What was
 * pruned stays pruned, which is newer than those numbers (2026.9.6) and favourable. Its compaction is not modelled.
 */
import type { Prompt } from '../prompt.ts'
import type { Recording } from '../recording.ts'
import type { Strategy } from '../strategy.ts'
import { PLACEHOLDER_TOKENS, resultItems, sentCounter } from './placeholders.ts'

const TTL = 300_000
const KEEP_TURNS = 3
const SOFT_RATIO = 0.3
const HARD_RATIO = 0.5
const LEAST_PRUNABLE_CHARS = 50_000
const SOFT_CHARS = 4000
/** Head and tail of 1,500 characters each, and the note between them. */
const TRIMMED_CHARS = 3100
const CHARS_PER_TOKEN = 4

export const OPENCLAW_CACHE_TTL: Strategy = {
  name: 'openclaw-cache-ttl',
  recoverable: true,
  player(recording, { window }) {
    const results = resultItems(recording)
    const sent = sentCounter(results)
    const chars = recording.items.map((item) => item.chars)
    let counted = 0
    let total = 0
    return ({ call, gap }, prompt) => {
      for (; counted < prompt.length; counted++) total += chars[counted] ?? 0
      const room = window * CHARS_PER_TOKEN
      if (gap < TTL || total / room < SOFT_RATIO) return
      const old = results.slice(0, sent(prompt)).filter((item) => isOld(recording, item, call))
      for (const item of old) total -= softTrim(recording, chars, prompt, item)
      const prunable = old.reduce((sum, item) => sum + (chars[item] ?? 0), 0)
      if (prunable < LEAST_PRUNABLE_CHARS) return
      for (const item of old) {
        if (total / room < HARD_RATIO) return
        total -= chars[item] ?? 0
        chars[item] = 0
        prompt.replace(item, Math.min(prompt.size(item), PLACEHOLDER_TOKENS))
      }
    }
  },
}

function isOld(recording: Recording, item: number, call: number): boolean {
  return (recording.items[item]?.turn ?? 0) < call - KEEP_TURNS
}

/** Characters that left. */
function softTrim(recording: Recording, chars: number[], prompt: Prompt, item: number): number {
  const before = chars[item] ?? 0
  if (before <= SOFT_CHARS) return 0
  chars[item] = TRIMMED_CHARS
  prompt.replace(item, ((recording.items[item]?.tokens ?? 0) * TRIMMED_CHARS) / before)
  return before - TRIMMED_CHARS
}
