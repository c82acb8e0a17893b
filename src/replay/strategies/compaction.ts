/**
 * Strategies that let a model summarise the history once it is nearly full. A summary costs one extra call on the
 * present prompt at the cached price and its own output: favourable to those that use a prompt of its own.
 */
import type { Prompt } from '../prompt.ts'
import type { Recording } from '../recording.ts'
import type { Strategy } from '../strategy.ts'
import { clear, resultItems, sentCounter } from './placeholders.ts'

const HOUR = 3_600_000
/** Tokens of a model's summary; Claude Code's stands with the files it reads again. */
const SUMMARY_TOKENS = 4000
const CLAUDE_CODE_SUMMARY = 5000
/** Claude Code 2.x: auto-compact at the window less 33,000 (seeds F12; docs of DISABLE_AUTO_COMPACT). */
const CLAUDE_CODE_RESERVE = 33_000
/** Its time-based microcompact: after an hour's pause all but the newest 5 results (peers.md 1.2). */
const MICROCOMPACT_KEEP = 5

export const CLAUDE_CODE: Strategy = {
  name: 'claude-code',
  recoverable: true,
  player(recording, { window }) {
    const results = resultItems(recording)
    const sent = sentCounter(results)
    let next = 0
    return ({ gap }, prompt) => {
      const end = sent(prompt) - MICROCOMPACT_KEEP
      if (gap > HOUR) for (; next < end; next++) clear(prompt, results[next] ?? 0)
      if (prompt.total() > window - CLAUDE_CODE_RESERVE) prompt.summarise(prompt.length, CLAUDE_CODE_SUMMARY)
    }
  },
}

/** badlogic/pi-mono packages/coding-agent/src/core/compaction/compaction.ts, DEFAULT_COMPACTION_SETTINGS. */
const PI_RESERVE = 16_384
const PI_KEEP = 20_000

export const PI: Strategy = {
  name: 'pi',
  recoverable: false,
  player:
    (recording, { window }) =>
    (_, prompt) => {
      if (prompt.total() > window - PI_RESERVE) prompt.summarise(tailStart(prompt, recording, PI_KEEP), SUMMARY_TOKENS)
    },
}

/** langchain-ai/deepagentsjs libs/deepagents/src/middleware/summarization.ts: fractions 0.85 and 0.10. */
const DEEPAGENTS_TRIGGER = 0.85
const DEEPAGENTS_KEEP = 0.1

export const DEEPAGENTS: Strategy = {
  name: 'deepagents',
  recoverable: true,
  player:
    (recording, { window }) =>
    (_, prompt) => {
      if (prompt.total() <= DEEPAGENTS_TRIGGER * window) return
      prompt.summarise(tailStart(prompt, recording, DEEPAGENTS_KEEP * window), SUMMARY_TOKENS)
    },
}

/** The first item of the newest ones that fit; never a result without its call. */
function tailStart(prompt: Prompt, recording: Recording, tokens: number): number {
  let start = prompt.length
  let kept = 0
  while (start > 0 && kept + prompt.size(start - 1) <= tokens) {
    start--
    kept += prompt.size(start)
  }
  while (start < prompt.length && recording.items[start]?.kind === 'result') start++
  return start
}

/** sst/opencode packages/opencode/src/session/compaction.ts (PRUNE_*), overflow.ts (COMPACTION_BUFFER). */
const PRUNE_PROTECT = 40_000
const PRUNE_MINIMUM = 20_000
const PRUNE_USER_TURNS = 2
const COMPACTION_BUFFER = 20_000

export const OPENCODE: Strategy = {
  name: 'opencode',
  recoverable: false,
  player(recording, { window }) {
    const results = resultItems(recording)
    const users = recording.items.flatMap((item, index) => (item.kind === 'user' ? [index] : []))
    const sentUsers = sentCounter(users)
    return (_, prompt) => {
      const limit = users[sentUsers(prompt) - PRUNE_USER_TURNS] ?? 0
      prune(prompt, results, limit)
      if (prompt.total() > window - COMPACTION_BUFFER) prompt.summarise(prompt.length, SUMMARY_TOKENS)
    }
  },
}

/** Walks back until the first result that is already cleared, as its own code does. */
function prune(prompt: Prompt, results: readonly number[], limit: number): void {
  const old: number[] = []
  let protectedTokens = 0
  let gain = 0
  for (let index = lastBefore(results, limit); index >= 0; index--) {
    const item = results[index] ?? 0
    if (!prompt.isWhole(item)) break
    if (protectedTokens < PRUNE_PROTECT) {
      protectedTokens += prompt.size(item)
      continue
    }
    old.push(item)
    gain += prompt.size(item)
  }
  if (gain > PRUNE_MINIMUM) for (const item of old) clear(prompt, item)
}

/** Index of the last element below `limit` in a sorted list; -1 when none is. */
function lastBefore(sorted: readonly number[], limit: number): number {
  let low = 0
  let high = sorted.length
  while (low < high) {
    const middle = (low + high) >> 1
    if ((sorted[middle] ?? 0) < limit) low = middle + 1
    else high = middle
  }
  return low - 1
}
