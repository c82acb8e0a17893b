/**
 * Reads UIMessage arrays. One UIMessage holds a whole answer with all its steps, so each step counts as an entry of
 * its calls and one of its results, and a part's index is its blocks' number in both.
 */
import { callBlock, resultBlock } from '../../core/blocks.ts'
import type { Address, Block, JsonObject, JsonValue, Message } from '../../core/transcript.ts'
import { ARRAY_THREAD } from '../array-format.ts'
import { type Fields, fieldsOf, textOf } from '../fields.ts'
import { isNoResult } from '../made-up.ts'
import { jsonText, partBlock } from './content.ts'

export interface UiReading {
  readonly messages: readonly Message[]
  /** The item each entry stands in. */
  readonly items: readonly number[]
}

/** Calls of the caller's own tools: `tool-<name>` and `dynamic-tool`; undefined for any other part. */
export function toolOf(part: Fields): string | undefined {
  const type = textOf(part.type) ?? ''
  if (part.providerExecuted === true) return undefined
  if (type === 'dynamic-tool') return textOf(part.toolName) ?? ''
  return type.startsWith('tool-') ? type.slice('tool-'.length) : undefined
}

export function readUi(items: readonly JsonValue[]): UiReading {
  const messages: Message[] = []
  const places: number[] = []
  items.forEach((item, index) => {
    const message = fieldsOf(item) ?? {}
    const parts = Array.isArray(message.parts) ? message.parts.map((part: unknown) => fieldsOf(part) ?? {}) : []
    const role = message.role === 'assistant' || message.role === 'system' ? message.role : 'user'
    const add = (of: Message['role'], blocks: (at: Address) => readonly Block[]): void => {
      const entry = places.length
      messages.push({ role: of, blocks: blocks({ thread: ARRAY_THREAD, entry }), entries: [entry] })
      places.push(index)
    }
    for (const step of stepsOf(parts)) {
      // The SDK makes no message of a step in which nothing is sent.
      const isSent = step.some((block) => blockOf(parts[block] ?? {}, { thread: ARRAY_THREAD, entry: 0, block }))
      if (role === 'assistant' && !isSent) continue
      add(role, (at) => step.flatMap((block) => blockOf(parts[block] ?? {}, { ...at, block }) ?? []))
      const answered = step.filter((block) => isAnswered(parts[block] ?? {}))
      if (answered.length > 0)
        add('user', (at) => answered.map((block) => resultOf(parts[block] ?? {}, { ...at, block })))
    }
  })
  return { messages, items: places }
}

/** Indexes of the parts of each step; a message without parts is one empty step. */
function stepsOf(parts: readonly Fields[]): number[][] {
  const steps: number[][] = [[]]
  parts.forEach((part, index) => {
    if (part.type !== 'step-start') steps.at(-1)?.push(index)
    else if (steps.at(-1)?.length) steps.push([])
  })
  return steps.length > 1 && steps.at(-1)?.length === 0 ? steps.slice(0, -1) : steps
}

function blockOf(part: Fields, at: Address): Block | undefined {
  const tool = toolOf(part)
  if (tool === undefined) return isSilent(part) ? undefined : partBlock(part, at)
  // Still being written: the SDK leaves it out (C10).
  if (part.state === 'input-streaming') return undefined
  return callBlock(at, { id: textOf(part.toolCallId) ?? '', tool, input: (fieldsOf(part.input) ?? {}) as JsonObject })
}

/** Never sent to a model: sources and the interface's own data. */
function isSilent(part: Fields): boolean {
  return /^(source-|data-)/.test(textOf(part.type) ?? '')
}

function isAnswered(part: Fields): boolean {
  return toolOf(part) !== undefined && /^output-/.test(textOf(part.state) ?? '')
}

function resultOf(part: Fields, at: Address): Block {
  const isRefused = part.state === 'output-denied'
  const isError = part.state === 'output-error'
  const reason = textOf(fieldsOf(part.approval)?.reason) ?? ''
  const text = isRefused ? reason : isError ? (textOf(part.errorText) ?? '') : jsonText(part.output)
  const parts = [{ type: 'text' as const, text }]
  return resultBlock(at, {
    callId: textOf(part.toolCallId) ?? '',
    parts,
    shape: 'string',
    isError,
    invented: isNoResult(parts),
    ...(isRefused ? { denied: 'person' as const } : {}),
  })
}
