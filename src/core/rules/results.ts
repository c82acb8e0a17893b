/**
 * Old results become pointers (F6): all but the newest 10 results and 40 reads (reference/planner.md section 6).
 * Results with a part of unknown type stay whole: what cannot be named cannot be brought back.
 */
import type { ContentClass, Edit } from '../edits.ts'
import { countOf, pointerTo, spillPointers } from '../pointer.ts'
import { removedBody, targetOf } from '../removed.ts'
import { keptCalls } from '../tasks/index.ts'
import { estimateTokens } from '../tokens.ts'
import type { Transcript } from '../transcript.ts'
import { addressKey } from '../transcript.ts'
import type { Rule, WindowOptions } from './rule.ts'
import { type AnsweredExchange, beyondWindow } from './window.ts'

export const DEFAULT_KEEP_RESULTS = 10
export const DEFAULT_KEEP_READS = 40
export const DEFAULT_RESULTS: WindowOptions = { keep: DEFAULT_KEEP_RESULTS, keepReads: DEFAULT_KEEP_READS, minChars: 0 }

export const results: Rule<WindowOptions> = (transcript, options, context) => {
  // What tells that a task is open, and how to reach it, stays; so does the record of a finished one.
  const kept = keptCalls(transcript, context.tasks)
  return beyondWindow(transcript, options)
    .filter(({ call, result }) => mayLeave(result) && !kept.has(addressKey(call.at)))
    .flatMap((exchange) => (exchange.result.spilled ? withoutPreview(exchange) : replacement(exchange, transcript)))
    .filter((edit) => edit.frees > 0)
}

/** A refusal in a person's words stays. */
function mayLeave(result: AnsweredExchange['result']): boolean {
  return result.denied !== 'person' && result.parts.every((part) => part.type === 'text')
}

/** Whether the content could be had again some other way; `restorable`: only from the archive. */
export function classOf(tool: string, transcript: Transcript): ContentClass {
  return transcript.tools.reads.has(tool) ? 'rerunnable' : 'restorable'
}

/** What was spilled at birth keeps its pointers, and loses the preview that stood below them. */
function withoutPreview({ call, result }: AnsweredExchange): Edit[] {
  const [only] = result.parts
  const text = only?.type === 'text' ? spillPointers(only.text).join('\n') : ''
  if (text === '') return []
  return [
    {
      kind: 'replace-result',
      at: result.at,
      rule: 'results',
      reason: `the preview of a spilled ${call.tool} result is older than the newest results`,
      purpose: 'economy',
      class: 'worthless',
      frees: result.tokens - estimateTokens(text),
      removed: [removedBody(result, { rule: 'results', class: 'worthless', call })],
      text,
    },
  ]
}

function replacement({ call, result }: AnsweredExchange, transcript: Transcript): Edit {
  const contentClass = classOf(call.tool, transcript)
  const removed = removedBody(result, { rule: 'results', class: contentClass, call })
  const target = targetOf(call)
  const text = pointerTo({
    ref: removed.ref,
    tool: call.tool,
    ...(target === undefined ? {} : { target }),
    size: countOf(result.chars, 'characters'),
  })
  return {
    kind: 'replace-result',
    at: result.at,
    rule: 'results',
    reason: `${call.tool} result of ${countOf(result.chars, 'characters')} is older than the newest results`,
    purpose: 'economy',
    class: contentClass,
    frees: result.tokens - estimateTokens(text),
    removed: [removed],
    text,
  }
}
