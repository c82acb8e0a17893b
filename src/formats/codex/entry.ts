/**
 * One line of a Codex rollout: `{timestamp, type, payload}`. What is sent to the model are the Responses items in
 * `response_item` lines; everything else tells about the run (docs/formats-codex.md).
 */

import { type BlockOptions, opaqueBlock, textBlock } from '../../core/blocks.ts'
import type { Block, MessageKind, Usage } from '../../core/transcript.ts'
import { type Fields, fieldsOf, numberOf, textOf } from '../fields.ts'
import type { JsonPath } from '../json-spans.ts'
import { readItem } from '../responses/items.ts'

export interface CodexEntry {
  /** Counts parsed entries from 0. */
  readonly ordinal: number
  /** 1-based. */
  readonly line: number
  readonly type: string
  /** Type of the item or event inside. */
  readonly payloadType: string
  /** As recorded. */
  readonly timestamp?: string
}

/** Recorded, but no part of what is sent. */
const NOT_SENT = new Set(['ghost_snapshot', 'other'])
/** What Codex itself says in the user's name, by how it starts. */
const CONTEXT =
  /^\s*(?:<(?:environment_context|user_instructions|permissions|collaboration_mode|skill|user_shell_command|subagent_notification|personality_spec|model_switch)\b|# AGENTS\.md instructions)/
const INTERRUPTED = /^\s*<turn_aborted\b/

export function entryOf(value: Fields, ordinal: number, line: number): CodexEntry {
  const timestamp = textOf(value.timestamp)
  return {
    ordinal,
    line,
    type: textOf(value.type) ?? '',
    payloadType: textOf(fieldsOf(value.payload)?.type) ?? '',
    ...(timestamp === undefined ? {} : { timestamp }),
  }
}

/** Is this entry an item that the model is sent? */
export function isItem({ type, payloadType }: CodexEntry): boolean {
  return type === 'response_item' && !NOT_SENT.has(payloadType)
}

/** Words in the user's name that nobody typed. Asked before the words are let go. */
export function kindOf(payload: Fields): MessageKind | undefined {
  if (payload.role !== 'user') return undefined
  const [first] = Array.isArray(payload.content) ? payload.content : [payload.content]
  const text = textOf(first) ?? textOf(fieldsOf(first)?.text) ?? ''
  if (INTERRUPTED.test(text)) return 'interrupt'
  return CONTEXT.test(text) ? 'meta' : undefined
}

/** What a compaction put in place of the history: its words, and all else as it is. */
export function summaryBlocks(payload: Fields, thread: string, entry: number, options: BlockOptions): Block[] {
  const at = (block: number) => ({ thread, entry, block })
  if (!Array.isArray(payload.replacement_history)) return [textBlock(at(0), textOf(payload.message) ?? '', options)]
  return replacedBlocks(payload.replacement_history).map(({ block, item }, index): Block => {
    if (block.type === 'text') return textBlock(at(index), block.text, options)
    return opaqueBlock(at(index), block.type, JSON.stringify(item))
  })
}

/** Where the words of each of those blocks stand in the payload; undefined for what are no words. */
export function summaryPaths(payload: Fields): (JsonPath | undefined)[] {
  if (!Array.isArray(payload.replacement_history)) return [['message']]
  return replacedBlocks(payload.replacement_history).map(({ block, item, index }) => {
    if (block.type !== 'text') return undefined
    const path = ['replacement_history', index, 'content'] as const
    return Array.isArray(fieldsOf(item)?.content) ? [...path, block.at.block ?? 0, 'text'] : path
  })
}

function replacedBlocks(history: readonly unknown[]) {
  return history.flatMap((item, index) => {
    const { blocks } = readItem(item, { thread: '', entry: 0 })
    return blocks.map((block) => ({ block, item, index }))
  })
}

/** The usage of the newest request that a `token_count` event tells; `total` tells two events about it apart. */
export function usageIn(payload: Fields): { readonly usage: Usage; readonly total: string } | undefined {
  const info = fieldsOf(payload.info)
  const last = fieldsOf(info?.last_token_usage)
  if (!last) return undefined
  const cached = numberOf(last.cached_input_tokens) ?? 0
  const input = Math.max(0, (numberOf(last.input_tokens) ?? 0) - cached)
  const usage = { input, cacheRead: cached, cacheWrite: 0, output: numberOf(last.output_tokens) ?? 0 }
  if (usage.input + usage.cacheRead + usage.output === 0) return undefined
  return { usage, total: JSON.stringify(info?.total_token_usage) }
}
