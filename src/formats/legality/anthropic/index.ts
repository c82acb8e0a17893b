/** Every rule of the Anthropic Messages API (A01-A65). */
import type { RequestRule } from '../rule.ts'
import { CACHE_RULES } from './cache.ts'
import { CALL_RULES } from './calls.ts'
import { COMPACTION_RULES } from './compaction.ts'
import { MEDIA_RULES } from './media.ts'
import { PAIRING_RULES } from './pairing.ts'
import { PARAMETER_RULES } from './parameters.ts'
import type { MessagesReading } from './reading.ts'
import { SERVER_TOOL_RULES } from './server-tools.ts'
import { SHAPE_RULES } from './shape.ts'
import { SYSTEM_MESSAGE_RULES } from './system-messages.ts'
import { THINKING_RULES } from './thinking.ts'

export { readMessages } from './reading.ts'

/** In the order in which a provider would come upon them: shape, parameters, places, calls, thinking, sizes. */
export const ANTHROPIC_RULES: readonly RequestRule<MessagesReading>[] = [
  ...SHAPE_RULES,
  ...PARAMETER_RULES,
  ...SYSTEM_MESSAGE_RULES,
  ...CALL_RULES,
  ...PAIRING_RULES,
  ...SERVER_TOOL_RULES,
  ...THINKING_RULES,
  ...COMPACTION_RULES,
  ...MEDIA_RULES,
  ...CACHE_RULES,
]
