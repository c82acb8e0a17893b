/** Every rule of the AI SDK's message arrays (C01-C12). */
import type { RequestRule } from '../rule.ts'
import { AI_SDK_PAIRING_RULES } from './pairing.ts'
import type { AiSdkReading } from './reading.ts'
import { AI_SDK_SHAPE_RULES } from './shape.ts'

export { readAiSdk } from './reading.ts'
export const AI_SDK_RULES: readonly RequestRule<AiSdkReading>[] = [...AI_SDK_SHAPE_RULES, ...AI_SDK_PAIRING_RULES]
