/** The array formats, and which of them a value is. */
import type { JsonValue } from '../core/transcript.ts'
import { aiSdk, aiSdkUi } from './ai-sdk/index.ts'
import { type ArrayFormat, itemsOf } from './array-format.ts'
import { chat } from './chat/index.ts'
import { fieldsOf, textOf } from './fields.ts'
import { messages } from './messages/index.ts'
import { responses } from './responses/index.ts'

export const ARRAY_FORMATS: readonly ArrayFormat[] = [messages, chat, responses, aiSdk, aiSdkUi]

const OPENAI = /^(openai\/)?(gpt-|chatgpt-|o\d)/

/**
 * The format of this value, undefined when it is none. Plain texts fit several: there the model decides, then a system
 * message at the start (Messages have none there), then the order of the list.
 * @param model what will read it, when not the value's own
 */
export function arrayFormatOf(value: JsonValue, model = textOf(fieldsOf(value)?.model)): ArrayFormat | undefined {
  const fitting = ARRAY_FORMATS.filter((format) => format.detect(value))
  const isChat =
    model === undefined
      ? /^(system|developer)$/.test(textOf(fieldsOf(itemsOf(value, 'messages')?.[0])?.role) ?? '')
      : OPENAI.test(model)
  return isChat && fitting.includes(chat) ? chat : fitting[0]
}
