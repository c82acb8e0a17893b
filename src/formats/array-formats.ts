/** The array formats; the first that detects a value as its own reads it. Plain texts are taken for Messages. */
import { aiSdk, aiSdkUi } from './ai-sdk/index.ts'
import type { ArrayFormat } from './array-format.ts'
import { chat } from './chat/index.ts'
import { messages } from './messages/index.ts'
import { responses } from './responses/index.ts'

export const ARRAY_FORMATS: readonly ArrayFormat[] = [messages, chat, responses, aiSdk, aiSdkUi]
