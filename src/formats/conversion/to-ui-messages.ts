/** AI SDK UIMessages: one message an answer, a step a turn, a call and its result are one part. */
import { createHash } from 'node:crypto'
import type { Block, JsonObject, JsonValue, Message, ResultBlock } from '../../core/transcript.ts'
import { urlOf } from '../media.ts'
import { type Conversion, type Target, textPart, UNHELD } from './target.ts'

interface OpenMessage {
  readonly id: string
  readonly role: string
  readonly parts: JsonObject[]
}

function wordsOf(result: ResultBlock, conversion: Conversion): string {
  const texts = result.parts.map((part) => {
    if (part.type === 'text') return part.text
    conversion.report(result.at, part.type === 'opaque' ? UNHELD.opaque : UNHELD.media)
    return `[${part.type}]`
  })
  if (result.parts.filter((part) => part.type === 'text').length > 1) conversion.report(result.at, UNHELD.parts)
  return texts.join('\n')
}

function outcome(result: ResultBlock | undefined, conversion: Conversion): JsonObject {
  if (!result) return { state: 'input-available' }
  const text = wordsOf(result, conversion)
  return result.isError ? { state: 'output-error', errorText: text } : { state: 'output-available', output: text }
}

function partOf(
  block: Block,
  role: Message['role'],
  results: ReadonlyMap<string, ResultBlock>,
  conversion: Conversion,
): JsonObject[] {
  const unheld = (what: string): JsonObject[] => {
    conversion.report(block.at, what)
    return []
  }
  switch (block.type) {
    case 'text':
      return block.text === '' ? [] : [textPart(block.text)]
    case 'thinking':
      if (role !== 'assistant' || block.text === '') return unheld(UNHELD.thinking)
      if (block.signed) conversion.report(block.at, UNHELD.seal)
      return [textPart(block.text, 'reasoning')]
    case 'call': {
      if (role !== 'assistant') return unheld(UNHELD.misplaced)
      const toolCallId = conversion.idOf(block)
      const result = results.get(toolCallId)
      return [{ type: `tool-${block.tool}`, toolCallId, input: block.input, ...outcome(result, conversion) }]
    }
    case 'result':
      return role === 'user' && conversion.toolOf(block) !== '' ? [] : unheld(UNHELD.misplaced)
    case 'image':
    case 'document': {
      const url = urlOf(block)
      return url === undefined || role === 'system'
        ? unheld(UNHELD.media)
        : [{ type: 'file', mediaType: block.mediaType, url }]
    }
    default:
      return unheld(UNHELD.opaque)
  }
}

export const toUiMessages: Target = {
  callId: /^[\s\S]+$/,
  valueOf(messages, system, conversion): JsonValue {
    const results = new Map<string, ResultBlock>()
    for (const message of messages) {
      for (const block of message.blocks) {
        if (block.type === 'result' && conversion.toolOf(block) !== '') results.set(conversion.idOf(block), block)
      }
    }
    const items: OpenMessage[] = []
    const open = (role: string, parts: readonly JsonObject[]): void => {
      const seed = JSON.stringify([items.length, role, parts])
      const id = `message-${createHash('sha256').update(seed).digest('hex').slice(0, 16)}`
      items.push({ id, role, parts: [...parts] })
    }
    for (const text of system) open('system', [textPart(text)])
    for (const message of messages) {
      const parts = message.blocks.flatMap((block) => partOf(block, message.role, results, conversion))
      if (parts.length === 0) continue
      const last = items.at(-1)
      if (message.role !== 'assistant') open(message.role, parts)
      else if (last?.role === 'assistant') last.parts.push({ type: 'step-start' }, ...parts)
      else open(message.role, [{ type: 'step-start' }, ...parts])
    }
    return items as unknown as JsonValue
  },
}
