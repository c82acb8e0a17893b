/**
 * Results of glance commands go stale (F5): beyond the newest 6 only the command stays, so that it can be run again.
 * The same function that lets a coordinator run a command decides that its result expires (F10).
 *
 * The note holds no age, clock or reference: what expires is archived all the same and `recall` finds it by command.
 */
import { classify } from '../../shell/index.ts'
import type { Edit } from '../edits.ts'
import { elide } from '../pointer.ts'
import { removedBody, scriptIn } from '../removed.ts'
import { estimateTokens } from '../tokens.ts'
import type { CallBlock, ResultBlock, ToolNames } from '../transcript.ts'
import { exchangesOf } from '../transcript.ts'
import type { Rule } from './rule.ts'
import { type AnsweredExchange, isAnswered } from './window.ts'

export interface GlancesOptions {
  /** This many of the newest glance results stay word for word. */
  readonly keep: number
  /** Longer results are left to `results`: they are worth a pointer. */
  readonly maxChars: number
}

export const DEFAULT_KEEP_GLANCES = 6
export const DEFAULT_GLANCE_CHARS = 2000
const MOST_COMMAND_CHARS = 80

export const glances: Rule<GlancesOptions> = (transcript, options) => {
  const stale: Edit[] = []
  let newer = 0
  for (const exchange of exchangesOf(transcript).toReversed()) {
    if (!isAnswered(exchange) || !isGlance(exchange, transcript.tools)) continue
    newer++
    if (newer > options.keep && mayExpire(exchange.result, options.maxChars)) {
      const edit = expired(exchange, commandOf(exchange.call, transcript.tools) ?? '')
      if (edit) stale.push(edit)
    }
  }
  return stale.reverse()
}

/** The command of a call to a shell tool, else undefined. */
export function commandOf(call: CallBlock, tools: ToolNames): string | undefined {
  if (!tools.shells.has(call.tool)) return undefined
  const command = call.input.command ?? call.input.cmd
  return typeof command === 'string' ? command : scriptIn(command)
}

/** A call that only looked, and whose result therefore goes stale. */
export function isGlance({ call, result }: AnsweredExchange, tools: ToolNames): boolean {
  if (result.denied !== undefined || result.invented) return false
  return onlyLooks(call, tools)
}

/** Parsing a command costs more than everything else here, and the same calls are asked about again. */
const known = new WeakMap<CallBlock, boolean>()

/** Is it a shell command that only looks? */
export function onlyLooks(call: CallBlock, tools: ToolNames): boolean {
  const earlier = known.get(call)
  if (earlier !== undefined) return earlier
  const command = commandOf(call, tools)
  const looks = command !== undefined && classify(command).ephemeral
  known.set(call, looks)
  return looks
}

function mayExpire(result: ResultBlock, maxChars: number): boolean {
  return !result.spilled && result.chars <= maxChars && result.parts.every((part) => part.type === 'text')
}

function expired({ call, result }: AnsweredExchange, command: string): Edit | undefined {
  const text = `[stale${result.isError ? ' failure' : ''}; run again: ${elide(command, MOST_COMMAND_CHARS)}]`
  if (text.length >= result.chars) return undefined
  return {
    kind: 'replace-result',
    at: result.at,
    rule: 'glances',
    reason: `the result of \`${elide(command, MOST_COMMAND_CHARS)}\` has gone stale`,
    purpose: 'economy',
    class: 'rerunnable',
    frees: result.tokens - estimateTokens(text),
    removed: [removedBody(result, { rule: 'glances', class: 'rerunnable', call, target: command })],
    text,
  }
}
