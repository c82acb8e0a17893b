/** Every rule of OpenAI's two wires (B01-B31). */
import type { RequestRule } from '../rule.ts'
import { CHAT_CALL_RULES } from './chat-calls.ts'
import { CHAT_MESSAGE_RULES } from './chat-messages.ts'
import type { ChatReading } from './chat-reading.ts'
import { RESPONSES_ITEM_RULES } from './responses-items.ts'
import { RESPONSES_PAIRING_RULES } from './responses-pairing.ts'
import type { ResponsesReading } from './responses-reading.ts'

export { type ChatReading, readChat } from './chat-reading.ts'
export { type ResponsesReading, readResponses } from './responses-reading.ts'

export const CHAT_RULES: readonly RequestRule<ChatReading>[] = [...CHAT_MESSAGE_RULES, ...CHAT_CALL_RULES]
export const RESPONSES_RULES: readonly RequestRule<ResponsesReading>[] = [
  ...RESPONSES_ITEM_RULES,
  ...RESPONSES_PAIRING_RULES,
]
