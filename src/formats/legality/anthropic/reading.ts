/** An Anthropic Messages request, read once for all rules: messages, and turns, on which the pairing rules work. */
import { factsOf, type ModelFacts } from '../../../core/models.ts'
import { type Fields, fieldsOf, textOf } from '../../fields.ts'
import { arrayOf, contentOf, idText, type Placed, placedIn } from '../places.ts'

export interface WireMessage {
  readonly index: number
  readonly fields: Fields
  readonly role: string
  readonly blocks: readonly Placed[]
}

/** Neighbouring messages of one role (A02); system messages are transparent. */
export interface Turn {
  readonly role: 'user' | 'assistant'
  readonly messages: readonly WireMessage[]
  readonly blocks: readonly Placed[]
  /** A system message stands directly before it. */
  readonly afterSystem: boolean
}

export interface MessagesReading {
  /** The request as sent; `{}` when it is no object. */
  readonly request: Fields
  readonly messages: readonly WireMessage[]
  readonly turns: readonly Turn[]
  readonly tools: readonly Placed[]
  readonly system: readonly Placed[]
  readonly model: string | undefined
  readonly facts: ModelFacts | undefined
  readonly thinking: Fields
}

export function readMessages(value: unknown): MessagesReading {
  const request = fieldsOf(value) ?? {}
  const messages: WireMessage[] = []
  arrayOf(request.messages).forEach((item, index) => {
    const fields = fieldsOf(item)
    if (!fields) return
    const blocks = contentOf(fields.content, `messages.${index}.content`)
    messages.push({ index, fields, role: textOf(fields.role) ?? '', blocks })
  })
  const model = textOf(request.model)
  return {
    request,
    messages,
    turns: turnsOf(messages),
    tools: placedIn(request.tools, 'tools'),
    system: contentOf(request.system, 'system'),
    model,
    facts: factsOf(model),
    thinking: fieldsOf(request.thinking) ?? {},
  }
}

function turnsOf(messages: readonly WireMessage[]): Turn[] {
  const turns: { role: 'user' | 'assistant'; messages: WireMessage[]; blocks: Placed[]; afterSystem: boolean }[] = []
  let afterSystem = false
  for (const message of messages) {
    if (message.role !== 'user' && message.role !== 'assistant') {
      afterSystem = true
      continue
    }
    let turn = turns.at(-1)
    if (turn?.role !== message.role) {
      turn = { role: message.role, messages: [], blocks: [], afterSystem }
      turns.push(turn)
    }
    turn.messages.push(message)
    for (const block of message.blocks) turn.blocks.push(block)
    afterSystem = false
  }
  return turns
}

export function isThinking(block: Placed): boolean {
  return block.type === 'thinking' || block.type === 'redacted_thinking'
}

/** A result that the provider's own tool made, inside the assistant's turn. */
export function isServerResult(block: Placed): boolean {
  return block.type.endsWith('_tool_result') && block.type !== 'mcp_tool_result'
}

/** The model's turn was paused inside a server tool; sending it again as it is is no prefill (A42). */
export function isPaused(message: WireMessage | undefined): boolean {
  const last = message?.blocks.at(-1)
  return last !== undefined && (/^(server|mcp)_tool_use$/.test(last.type) || /._tool_result$/.test(last.type))
}

/** The provider's word for a wrong sequence of calls and results (A09, A10, A15, A16). */
export function unanswered(turn: Turn, ids: readonly string[]): { message: string; at: string } {
  const wanted = new Set(ids)
  const message = turn.messages.findLast((item) =>
    item.blocks.some((block) => block.type === 'tool_use' && wanted.has(idText(block.fields.id))),
  )
  const at = `messages.${message?.index ?? turn.messages.at(-1)?.index ?? 0}`
  return {
    at,
    message: `${at}: \`tool_use\` ids were found without \`tool_result\` blocks immediately after: ${ids.join(', ')}. Each \`tool_use\` block must have a corresponding \`tool_result\` block in the next message.`,
  }
}

/** Every image, document or other block of the conversation, those inside tool results included. */
export function allBlocks(reading: MessagesReading): Placed[] {
  const all: Placed[] = []
  for (const message of reading.messages) {
    for (const block of message.blocks) {
      all.push(block)
      if (block.type === 'tool_result')
        for (const part of contentOf(block.fields.content, `${block.at}.content`)) all.push(part)
    }
  }
  return all
}

/** Header and body values together. */
export function betasOf(reading: MessagesReading, header: readonly string[] | undefined): ReadonlySet<unknown> {
  return new Set<unknown>([...(header ?? []), ...arrayOf(reading.request.betas)])
}
