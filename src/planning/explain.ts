/** A decision as one line for a person; all figures are tokens (costs in uncached input tokens). */
import type { Decision } from './decide.ts'

export interface Explained {
  /** 0-based index of the call that is about to be made. */
  readonly call: number
  readonly decision: Decision
  readonly edits: number
  /** Tokens of the prompt with the edits. */
  readonly after: number
  /** Milliseconds since the call before. */
  readonly idle: number
  readonly readPrice: number
  /** A person asked for it. */
  readonly asked?: boolean
}

const MINUTE = 60_000

export function explain(explained: Explained): string {
  const { call, decision, edits, after } = explained
  const { cause, prompt, price, rewritten, waiting, saves } = decision
  if (cause === 'nothing' && edits === 0) return `call ${call}: NOTHING to take out; prompt ${amount(prompt)}`
  if (!decision.rewrite && !explained.asked) {
    const share = price > 0 ? ` (${Math.floor((100 * waiting) / price)} %)` : ''
    const sum = `rewrite of ${amount(rewritten)} costs ${amount(price)}, waiting has cost ${amount(waiting)}${share}`
    return `call ${call}: WAIT ${edits} edits would save ${amount(saves)} tokens per call; ${sum}; prompt ${amount(prompt)}`
  }
  const done = `call ${call}: FLUSH ${edits} edits, -${amount(prompt - after)} tokens`
  return `${done}; ${sumOf(explained)}; prompt ${amount(prompt)} -> ${amount(after)}`
}

function sumOf({ decision, idle, readPrice, asked }: Explained): string {
  const { cause, price, rewritten, waiting, saves } = decision
  if (cause === 'cold') return `cache already cold (idle ${Math.round(idle / MINUTE)} min), no extra cost`
  const rewrites = `rewrites ${amount(rewritten)} (cost ${amount(price)})`
  const perCall = readPrice * saves
  const back = perCall > 0 ? `; pays back in ${Math.ceil(price / perCall)} calls` : ''
  if (cause === 'full') return `${rewrites}; the prompt would not fit${back}`
  if (asked && cause !== 'paid') return `asked for; ${rewrites}${back}`
  return `${rewrites}; waiting had cost ${amount(waiting)}${back}`
}

/** Thousands with one digit, smaller amounts whole. */
function amount(tokens: number): string {
  const rounded = Math.round(tokens)
  return Math.abs(rounded) < 1000 ? String(rounded) : `${(rounded / 1000).toFixed(1)}k`
}
