/** The APIs by the paths they are served on. */
import type { Api } from './api.ts'
import { CHAT_API } from './chat.ts'
import { MESSAGES_API } from './messages.ts'
import { RESPONSES_API } from './responses.ts'

export const COUNT_TOKENS = 'POST /v1/messages/count_tokens'

export const ROUTES: Readonly<Record<string, Api>> = {
  'POST /v1/messages': MESSAGES_API,
  [COUNT_TOKENS]: MESSAGES_API,
  'POST /v1/chat/completions': CHAT_API,
  'POST /v1/responses': RESPONSES_API,
}
