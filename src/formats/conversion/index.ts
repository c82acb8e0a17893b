/** From any transcript to a request in one of the array formats; what the target cannot hold is reported. */
import type { JsonValue, Message, Transcript } from '../../core/transcript.ts'
import { conversionOf, type Target, UNHELD, type Unheld } from './target.ts'
import { toAiSdk } from './to-ai-sdk.ts'
import { toChat } from './to-chat.ts'
import { toMessages } from './to-messages.ts'
import { toResponses } from './to-responses.ts'
import { toUiMessages } from './to-ui-messages.ts'

export type { Unheld } from './target.ts'

const TARGETS = {
  messages: toMessages,
  chat: toChat,
  responses: toResponses,
  'ai-sdk': toAiSdk,
  'ai-sdk-ui': toUiMessages,
} as const satisfies Readonly<Record<string, Target>>

export type TargetFormat = keyof typeof TARGETS

export interface Converted {
  /** A request of the target format without model and tools. */
  readonly value: JsonValue
  /** In the order of the conversation; empty when the target holds all of it. */
  readonly unheld: readonly Unheld[]
}

/**
 * The conversation of a transcript in another format. Ids of calls stay where the target accepts them; call and
 * result get the same new one where it does not. `system`: the system prompt's texts, where they stand beside it.
 * @throws TypeError for a transcript whose texts were let go while reading
 */
export function convert(transcript: Transcript, to: TargetFormat, system: readonly string[] = []): Converted {
  if (transcript.sizesOnly) throw new TypeError('a sizes-only reading cannot be converted')
  const target: Target = TARGETS[to]
  const unheld: Unheld[] = []
  const conversion = conversionOf(transcript, target.callId, (at, what) => unheld.push({ at, what }))
  const { leading, rest } = withoutLeadingSystem(transcript.messages)
  const spoken = rest.filter((message) => {
    if (message.kind !== 'api-error') return true
    for (const block of message.blocks) conversion.report(block.at, UNHELD.failure)
    return false
  })
  return { value: target.valueOf(spoken, [...system, ...leading], conversion), unheld }
}

/** The system messages that open a conversation are its system prompt. */
function withoutLeadingSystem(messages: readonly Message[]): { leading: string[]; rest: readonly Message[] } {
  const first = messages.findIndex(
    ({ role, blocks }) => role !== 'system' || blocks.some((block) => block.type !== 'text'),
  )
  const count = first < 0 ? messages.length : first
  const leading = messages
    .slice(0, count)
    .flatMap(({ blocks }) => blocks.flatMap((block) => (block.type === 'text' ? [block.text] : [])))
  return { leading, rest: messages.slice(count) }
}
