/** An OpenAI Chat Completions request, read once for all rules. */
import { factsOf, type ModelFacts } from '../../../core/models.ts'
import { type Fields, fieldsOf, textOf } from '../../fields.ts'
import { idText, type Placed, placedIn } from '../places.ts'

export interface ChatCall {
  readonly id: string
  readonly fields: Fields
  /** `messages[1].tool_calls[0]`, as the provider writes it. */
  readonly at: string
}

export interface ChatMessage {
  readonly fields: Fields
  readonly role: string
  readonly calls: readonly ChatCall[]
  /** Content parts; none for a string. */
  readonly parts: readonly Placed[]
  /** `messages[1]`. */
  readonly at: string
}

/** An assistant message with calls and the tool messages right behind it; results without calls have no `asking`. */
export interface ChatExchange {
  readonly asking: ChatMessage | undefined
  readonly results: readonly ChatMessage[]
}

export interface ChatReading {
  readonly request: Fields
  readonly messages: readonly ChatMessage[]
  readonly exchanges: readonly ChatExchange[]
  readonly model: string | undefined
  readonly facts: ModelFacts | undefined
}

export function readChat(value: unknown): ChatReading {
  const request = fieldsOf(value) ?? {}
  const messages = placedIn(request.messages, 'messages').map(({ fields, at }): ChatMessage => {
    const place = at.replace(/\.(\d+)$/, '[$1]')
    const calls = placedIn(fields.tool_calls, '').map((call) => ({
      id: idText(call.fields.id),
      fields: call.fields,
      at: `${place}.tool_calls[${call.at.slice(1)}]`,
    }))
    const role = textOf(fields.role) ?? ''
    return { fields, role, calls: role === 'assistant' ? calls : [], parts: placedIn(fields.content, place), at: place }
  })
  const model = textOf(request.model)
  return { request, messages, exchanges: exchangesOf(messages), model, facts: factsOf(model) }
}

function exchangesOf(messages: readonly ChatMessage[]): ChatExchange[] {
  const exchanges: { asking: ChatMessage | undefined; results: ChatMessage[] }[] = []
  let open: { asking: ChatMessage | undefined; results: ChatMessage[] } | undefined
  for (const message of messages) {
    if (message.role === 'tool') {
      if (!open) {
        open = { asking: undefined, results: [] }
        exchanges.push(open)
      }
      open.results.push(message)
    } else if (message.calls.length > 0) {
      open = { asking: message, results: [] }
      exchanges.push(open)
    } else open = undefined
  }
  return exchanges
}

export function resultIdOf({ fields }: ChatMessage): string {
  return idText(fields.tool_call_id)
}
