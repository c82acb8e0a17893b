/** Every rule of the Anthropic Messages API (A01-A65). */
import type { RequestRule } from '../rule.ts'
import { CACHE_RULES } from './cache.ts'
import { CALL_RULES } from './calls.ts'
import { COMPACTION_RULES } from './compaction.ts'
import { ENDING_RULES } from './ending.ts'
import { MEDIA_RULES } from './media.ts'
import { PAIRING_RULES } from './pairing.ts'
import { PARAMETER_RULES } from './parameters.ts'
import type { MessagesReading } from './reading.ts'
import { SERVER_TOOL_RULES } from './server-tools.ts'
import { SHAPE_RULES } from './shape.ts'
import { SYSTEM_MESSAGE_RULES } from './system-messages.ts'
import { THINKING_RULES } from './thinking.ts'

export { readMessages } from './reading.ts'

/**
 * The order decides which refusal a server gives first, where one mistake breaks several rules: the nearest cause
 * (a call without its result) before what follows from it (a conversation that ends on an assistant message).
 */
export const ANTHROPIC_RULES: readonly RequestRule<MessagesReading>[] = [
  ...SHAPE_RULES,
  ...CALL_RULES,
  ...PAIRING_RULES,
  ...SERVER_TOOL_RULES,
  ...SYSTEM_MESSAGE_RULES,
  ...THINKING_RULES,
  ...PARAMETER_RULES,
  ...COMPACTION_RULES,
  ...ENDING_RULES,
  ...MEDIA_RULES,
  ...CACHE_RULES,
]
