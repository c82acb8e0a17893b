/** Our own examples of every rule on raw requests, hand-written: the table the rules are proved by. */
import { AI_SDK_EXAMPLES } from './ai-sdk.ts'
import { LIMIT_EXAMPLES } from './anthropic-limits.ts'
import { STRUCTURE_EXAMPLES } from './anthropic-structure.ts'
import { THINKING_EXAMPLES } from './anthropic-thinking.ts'
import type { FormatExamples } from './example.ts'
import { CHAT_EXAMPLES, RESPONSES_EXAMPLES } from './openai.ts'
import { BEDROCK_EXAMPLES, DEEPSEEK_EXAMPLES, GEMINI_EXAMPLES, MISTRAL_EXAMPLES } from './providers.ts'

export type { RequestCase } from './example.ts'

export const RULE_EXAMPLES: readonly FormatExamples[] = [
  { format: 'anthropic-messages', examples: [...STRUCTURE_EXAMPLES, ...THINKING_EXAMPLES, ...LIMIT_EXAMPLES] },
  { format: 'openai-chat', examples: CHAT_EXAMPLES },
  { format: 'openai-responses', examples: RESPONSES_EXAMPLES },
  { format: 'ai-sdk', examples: AI_SDK_EXAMPLES },
  { format: 'gemini', examples: GEMINI_EXAMPLES },
  { format: 'deepseek', examples: DEEPSEEK_EXAMPLES },
  { format: 'mistral', examples: MISTRAL_EXAMPLES },
  { format: 'bedrock-converse', examples: BEDROCK_EXAMPLES },
]
