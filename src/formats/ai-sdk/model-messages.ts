/** Reads ModelMessage arrays. A part's index is its block's number; approvals stay with the call they are about. */
import { callBlock, opaqueBlock, resultBlock, textBlock } from '../../core/blocks.ts'
import type { Address, Block, JsonObject, JsonValue, Message, Role } from '../../core/transcript.ts'
import { ARRAY_THREAD } from '../array-format.ts'
import { type Fields, fieldsOf, textOf } from '../fields.ts'
import { isNoResult } from '../made-up.ts'
import { outputOf, partBlock } from './content.ts'

export function messagesOf(items: readonly JsonValue[]): Message[] {
  const whole = wholeCalls(items)
  return items.map((item, entry): Message => {
    const message = fieldsOf(item) ?? {}
    const { content } = message
    const at = { thread: ARRAY_THREAD, entry, block: 0 }
    const parts: readonly unknown[] = Array.isArray(content) ? content : []
    const blocks =
      typeof content === 'string'
        ? [textBlock(at, content)]
        : parts.flatMap((part, block) => blockOf(part, parts, { ...at, block }, whole) ?? [])
    return { role: roleOf(message.role), blocks, entries: [entry] }
  })
}

function roleOf(role: unknown): Role {
  return role === 'assistant' || role === 'system' ? role : 'user'
}

export function partsOf(item: JsonValue): readonly Fields[] {
  const content = fieldsOf(item)?.content
  return Array.isArray(content) ? content.map((part: unknown) => fieldsOf(part) ?? {}) : []
}

/**
 * Calls that stay as they are, with their results: the provider ran them (C07), or their approval was answered in
 * another message than their result was, so that the pieces cannot leave together (C05).
 */
function wholeCalls(items: readonly JsonValue[]): Set<string> {
  const whole = new Set<string>()
  const asked = new Map<string, string>()
  for (const item of items) {
    const parts = partsOf(item)
    for (const part of parts) {
      const callId = textOf(part.toolCallId) ?? ''
      if (part.type === 'tool-call' && part.providerExecuted === true) whole.add(callId)
      if (part.type === 'tool-approval-request') asked.set(textOf(part.approvalId) ?? '', callId)
      if (part.type !== 'tool-approval-response') continue
      const about = asked.get(textOf(part.approvalId) ?? '')
      const isTogether = parts.some((other) => other.type === 'tool-result' && other.toolCallId === about)
      if (about !== undefined && !isTogether) whole.add(about)
    }
  }
  return whole
}

function blockOf(
  value: unknown,
  parts: readonly unknown[],
  at: Address,
  whole: ReadonlySet<string>,
): Block | undefined {
  const part = fieldsOf(value) ?? {}
  const callId = textOf(part.toolCallId) ?? ''
  const opaque = (): Block => opaqueBlock(at, textOf(part.type) ?? 'unknown', JSON.stringify(value) ?? '')
  switch (part.type) {
    case 'tool-call': {
      if (whole.has(callId)) return opaque()
      const input = (fieldsOf(part.input) ?? {}) as JsonObject
      return callBlock(at, { id: callId, tool: textOf(part.toolName) ?? '', input })
    }
    case 'tool-result':
      return whole.has(callId) ? opaque() : resultOf(part, callId, at)
    case 'tool-approval-request': {
      const stands = parts.some((other) => isPart(other, 'tool-call', callId))
      return stands && !whole.has(callId) ? undefined : opaque()
    }
    case 'tool-approval-response':
      return parts.some((other) => isPart(other, 'tool-result')) && !isWholeOnly(parts, whole) ? undefined : opaque()
    default:
      return partBlock(value, at)
  }
}

function isPart(value: unknown, type: string, callId?: string): boolean {
  const part = fieldsOf(value)
  return part?.type === type && (callId === undefined || part.toolCallId === callId)
}

/** Nothing in this message may leave. */
function isWholeOnly(parts: readonly unknown[], whole: ReadonlySet<string>): boolean {
  return parts.every((part) => !isPart(part, 'tool-result') || whole.has(textOf(fieldsOf(part)?.toolCallId) ?? ''))
}

function resultOf(part: Fields, callId: string, at: Address): Block {
  const { parts, isError, isRefused } = outputOf(part.output)
  const isOneText = parts.length === 1 && parts[0]?.type === 'text'
  return resultBlock(at, {
    callId,
    parts,
    shape: isOneText ? 'string' : 'array',
    ...(isOneText ? {} : { raw: JSON.stringify(fieldsOf(part.output)?.value) }),
    isError,
    invented: isNoResult(parts),
    ...(isRefused ? { denied: 'person' as const } : {}),
  })
}
