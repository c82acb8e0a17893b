/** Parameters that do not fit the model or each other: A37-A40, A51, A64. */
import { fieldsOf, numberOf, textOf } from '../../fields.ts'
import { arrayOf } from '../places.ts'
import type { Found, RequestContext, RequestRule } from '../rule.ts'
import { betasOf, type MessagesReading } from './reading.ts'

/** Beta values without their dates: a later one of the same family will do. */
const BINDING_BETA = 'thinking-binding-controls-'
/** The second is what Claude Code sends (seen with the Agent SDK's binary, 0.3.332). */
const OUTPUT_CONFIG_BETAS = ['mid-conversation-output-config-', 'per-turn-control-']
const INTERLEAVED_BETA = 'interleaved-thinking-2025-05-14'
const LEAST_THINKING_TOKENS = 1024
const CLEAR_THINKING = 'clear_thinking_20251015'
/** What a thread keeps and compares, and what it does not take. */
const THREAD_FIELDS = ['system', 'tools', 'cache_control', 'context_management', 'fallbacks', 'thinking']

export const PARAMETER_RULES: readonly RequestRule<MessagesReading>[] = [
  {
    id: 'A37',
    severity: 'reject',
    evidence: 'issue',
    statement: 'A beta field comes with its beta header value.',
    check: checkBetas,
  },
  {
    id: 'A38',
    severity: 'reject',
    evidence: 'doc',
    statement: 'Each model takes its own kinds of thinking.',
    check: ({ facts, thinking }) => {
      const type = textOf(thinking.type)
      if (type === undefined || !facts?.refusedThinking?.includes(type)) return []
      const message =
        type === 'adaptive'
          ? 'adaptive thinking is not supported on this model'
          : `"thinking.type.${type}" is not supported for this model. Use "thinking.type.adaptive" and "output_config.effort" to control thinking behavior.`
      return [{ at: 'thinking.type', message }]
    },
  },
  {
    id: 'A39',
    severity: 'reject',
    evidence: 'code',
    statement: 'A thinking budget is at least 1,024 tokens and below max_tokens.',
    check: checkBudget,
  },
  {
    id: 'A40',
    severity: 'reject',
    evidence: 'doc',
    statement: 'Forced tool use does not go with manual thinking, and with the newest models not at all.',
    check: ({ request, facts, thinking }) => {
      const type = fieldsOf(request.tool_choice)?.type
      if (type !== 'any' && type !== 'tool') return []
      const at = 'tool_choice'
      if (facts?.refusesForcedTools) {
        return [{ at, message: 'tool_choice: type "tool" and "any" are not supported for this model.' }]
      }
      const manual = thinking.type === 'enabled'
      return manual ? [{ at, message: 'Thinking may not be enabled when tool_choice forces tool use.' }] : []
    },
  },
  {
    id: 'A51',
    severity: 'reject',
    evidence: 'code',
    statement: 'Clearing thinking needs thinking, and stands first among the edits.',
    check: checkClearThinking,
  },
  {
    id: 'A64',
    severity: 'warn',
    evidence: 'types',
    statement: 'A continued thread keeps its stored fields: an edited history starts a new one.',
    check: ({ request }) => {
      if (fieldsOf(request.thread)?.type !== 'continue') return []
      return THREAD_FIELDS.filter((field) => request[field] !== undefined).map((field) => ({
        at: field,
        message: `thread_fingerprint_mismatch: \`${field}\` must be what the thread was created with`,
      }))
    },
  },
]

/** Confirmed for the binding control alone; which value the others need was not read in the documentation. */
function checkBetas(reading: MessagesReading, { betas }: RequestContext): Found[] {
  const given = [...betasOf(reading, betas)].map((value) => textOf(value)?.replace(/\d{4}-\d\d-\d\d$/, ''))
  const families = new Set(given)
  const { request, thinking, messages } = reading
  const found: Found[] = []
  const need = (wanted: readonly string[], at: string, used: boolean, unsure = true): void => {
    if (used && !wanted.some((family) => families.has(family))) {
      found.push({ at, message: `${at}: Extra inputs are not permitted`, ...(unsure ? { unsure } : {}) })
    }
  }
  const binding = `thinking.${textOf(thinking.type) ?? 'adaptive'}.block_binding`
  need([BINDING_BETA], binding, thinking.block_binding !== undefined, false)
  need(['context-management-'], 'context_management', fieldsOf(request.context_management) !== undefined)
  need(['compact-'], 'compaction', request.compaction !== undefined)
  need(['message-threads-'], 'thread', request.thread !== undefined)
  for (const { index, fields, role, blocks } of messages) {
    const at = `messages.${index}`
    const compaction = blocks.find(({ type }) => type === 'compaction')
    if (compaction) need(['compact-'], compaction.at, true)
    if (role !== 'system') continue
    need(['mid-conversation-system-clear-at-'], `${at}.clear_at`, textOf(fields.clear_at) !== undefined)
    need(OUTPUT_CONFIG_BETAS, `${at}.output_config`, fieldsOf(fields.output_config) !== undefined)
  }
  return found
}

function checkBudget(reading: MessagesReading, { betas }: RequestContext): Found[] {
  const { request, thinking } = reading
  const budget = numberOf(thinking.budget_tokens)
  const most = numberOf(request.max_tokens)
  if (thinking.type !== 'enabled' || budget === undefined) return []
  const at = 'thinking.enabled.budget_tokens'
  if (budget < LEAST_THINKING_TOKENS) {
    return [{ at, message: `${at}: Input should be greater than or equal to ${LEAST_THINKING_TOKENS}` }]
  }
  if (most === undefined || budget < most || betasOf(reading, betas).has(INTERLEAVED_BETA)) return []
  return [{ at: 'max_tokens', message: '`max_tokens` must be greater than `thinking.budget_tokens`.' }]
}

/** Without a `thinking` parameter only the older models are known not to think. */
function checkClearThinking({ request, thinking, facts }: MessagesReading): Found[] {
  const edits = arrayOf(fieldsOf(request.context_management)?.edits).map((edit) => fieldsOf(edit)?.type)
  const position = edits.indexOf(CLEAR_THINKING)
  if (position < 0) return []
  const off = thinking.type === 'disabled' || (thinking.type === undefined && facts?.thinking === 'manual')
  const at = `context_management.edits.${position}`
  if (off) return [{ at, message: `\`${CLEAR_THINKING}\` strategy requires \`thinking\` to be enabled or adaptive` }]
  if (position === 0) return []
  return [{ at, message: `${at}: \`${CLEAR_THINKING}\` must be the first strategy` }]
}
