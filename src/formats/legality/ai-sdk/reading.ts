/** AI SDK message arrays (ModelMessage, UIMessage), read once for all rules. */
import { type Fields, fieldsOf, textOf } from '../../fields.ts'
import { arrayOf, idText, type Placed, placedIn } from '../places.ts'

export interface ModelMessage {
  readonly fields: Fields
  readonly role: string
  readonly parts: readonly Placed[]
  readonly at: string
}

export interface AiSdkReading {
  readonly request: Fields
  readonly messages: readonly ModelMessage[]
  readonly uiMessages: readonly ModelMessage[]
}

/** Accepts `{ messages }`, `{ uiMessages }` or an array of either kind. */
export function readAiSdk(value: unknown): AiSdkReading {
  const request = Array.isArray(value) ? arrayRequest(value) : (fieldsOf(value) ?? {})
  return {
    request,
    messages: messagesOf(request.messages, 'messages', 'content'),
    uiMessages: messagesOf(request.uiMessages, 'uiMessages', 'parts'),
  }
}

function arrayRequest(messages: readonly unknown[]): Fields {
  const isUi = messages.some((message) => Array.isArray(fieldsOf(message)?.parts))
  return isUi ? { uiMessages: messages } : { messages }
}

function messagesOf(value: unknown, path: string, content: string): ModelMessage[] {
  return placedIn(arrayOf(value), path).map(({ fields, at }) => ({
    fields,
    role: textOf(fields.role) ?? '',
    parts: placedIn(fields[content], `${at}.${content}`),
    at,
  }))
}

export function callIdOf({ fields }: Placed): string {
  return idText(fields.toolCallId)
}

/** Run by the provider: its call and its result both stand in the assistant message. */
export function isProviderExecuted({ fields }: Placed): boolean {
  return fields.providerExecuted === true
}
