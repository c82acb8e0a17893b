/** Every rule by its id, and the one way to check a request. */
import { AI_SDK_RULES, readAiSdk } from './ai-sdk/index.ts'
import { ANTHROPIC_RULES, readMessages } from './anthropic/index.ts'
import { type Wire, wireOf } from './check.ts'
import { CHAT_RULES, RESPONSES_RULES, readChat, readResponses } from './openai/index.ts'
import { BEDROCK_RULES, readBedrock } from './providers/bedrock.ts'
import { DEEPSEEK_PAIRING, DEEPSEEK_RULES, deepseekWire, readDeepseek } from './providers/deepseek.ts'
import { GEMINI_RULES, readGemini } from './providers/gemini.ts'
import { MISTRAL_RULES } from './providers/mistral.ts'
import { type Finding, NO_CONTEXT, type RequestContext, type RuleFacts } from './rule.ts'
import { CLAUDE_CODE_RULES, PI_RULES } from './session-rules.ts'

export const REQUEST_FORMATS = [
  'anthropic-messages',
  'openai-chat',
  'openai-responses',
  'ai-sdk',
  'gemini',
  'deepseek',
  'mistral',
  'bedrock-converse',
] as const
export type RequestFormat = (typeof REQUEST_FORMATS)[number]

export interface RegisteredRule extends RuleFacts {
  readonly format: RequestFormat | 'claude-code-jsonl' | 'pi-openclaw'
  /** Where it is checked: here on raw requests, or by a session format on its entries. */
  readonly checkedBy: 'checkRequest' | 'formats/claude-code' | 'formats/pi'
}

const NONE: ReadonlySet<string> = new Set()

const OWN: Readonly<Record<RequestFormat, Wire>> = {
  'anthropic-messages': wireOf(readMessages, ANTHROPIC_RULES),
  'openai-chat': wireOf(readChat, CHAT_RULES),
  'openai-responses': wireOf(readResponses, RESPONSES_RULES),
  'ai-sdk': wireOf(readAiSdk, AI_SDK_RULES),
  gemini: wireOf(readGemini, GEMINI_RULES),
  deepseek: wireOf(readDeepseek, DEEPSEEK_RULES),
  mistral: wireOf(readChat, MISTRAL_RULES),
  'bedrock-converse': wireOf(readBedrock, BEDROCK_RULES),
}

/** All rules of message-rules, in its order of formats. */
export const RULES: readonly RegisteredRule[] = [
  ...REQUEST_FORMATS.slice(0, 4).flatMap(registered),
  ...CLAUDE_CODE_RULES.map(
    (rule) => ({ ...rule, format: 'claude-code-jsonl', checkedBy: 'formats/claude-code' }) as const,
  ),
  ...PI_RULES.map((rule) => ({ ...rule, format: 'pi-openclaw', checkedBy: 'formats/pi' }) as const),
  ...REQUEST_FORMATS.slice(4).flatMap(registered),
].sort((a, b) => (a.id < b.id ? -1 : 1))

function registered(format: RequestFormat): RegisteredRule[] {
  return OWN[format].rules.map(({ id, severity, evidence, statement, status }) => ({
    id,
    severity,
    evidence,
    statement,
    ...(status === undefined ? {} : { status }),
    format,
    checkedBy: 'checkRequest',
  }))
}

/**
 * What a provider would say to this request, as plain JSON exactly as it is sent. Never throws, whatever the request
 * is; linear in its size. `reject` findings are refusals, `warn` findings accepted or not confirmed. Mistral and
 * DeepSeek are judged by the wire they speak, too. `skipped`: ids of rules that are not asked.
 */
export function checkRequest(
  format: RequestFormat,
  request: unknown,
  context: RequestContext = NO_CONTEXT,
  skipped: ReadonlySet<string> = NONE,
): Finding[] {
  const own = OWN[format].check(request, context, skipped)
  if (format === 'mistral') return [...own, ...OWN['openai-chat'].check(request, context, skipped)]
  if (format !== 'deepseek') return own
  const base = deepseekWire(readDeepseek(request))
  if (base === 'anthropic-messages') return own
  return [...own, ...OWN[base].check(request, context, new Set([...skipped, ...DEEPSEEK_PAIRING]))]
}
