/** Messages and parts of the AI SDK by themselves: C03, C04, C08, C09, C11, C12. */
import { fieldsOf, textOf } from '../../fields.ts'
import { type Found, nothing, type RequestRule } from '../rule.ts'
import type { AiSdkReading, ModelMessage } from './reading.ts'

const PARTS: Readonly<Record<string, readonly string[]>> = {
  user: ['text', 'image', 'file'],
  assistant: ['text', 'file', 'reasoning', 'tool-call', 'tool-result', 'tool-approval-request'],
  tool: ['tool-result', 'tool-approval-response'],
}
const OUTPUTS = ['text', 'json', 'error-text', 'error-json', 'execution-denied', 'content']
const MOST_BREAKPOINTS = 4
const INVALID = 'AI_InvalidPromptError: Invalid prompt: The messages do not match the ModelMessage[] schema.'

export const AI_SDK_SHAPE_RULES: readonly RequestRule<AiSdkReading>[] = [
  {
    id: 'C03',
    severity: 'reject',
    evidence: 'ran',
    statement: 'Messages match the schema: system content is a string, and each role has its kinds of parts.',
    check: ({ request, messages }) => [...checkPrompt(request), ...messages.flatMap(checkMessage)],
  },
  {
    id: 'C04',
    severity: 'reject',
    evidence: 'ran',
    statement: 'The output of a tool result is a tagged object.',
    check: ({ messages }) =>
      messages
        .flatMap(({ parts }) => parts.filter(({ type }) => type === 'tool-result'))
        .filter(({ fields }) => !OUTPUTS.includes(textOf(fieldsOf(fields.output)?.type) ?? ''))
        .map(({ at }) => ({ at, message: `${INVALID} (${at}.output)` })),
  },
  {
    id: 'C08',
    severity: 'warn',
    evidence: 'types',
    statement: 'Reasoning carries the provider’s metadata, else it is dropped.',
    check: ({ messages }) =>
      messages
        .flatMap(({ parts }) => parts.filter(({ type }) => type === 'reasoning'))
        .filter(({ fields }) => !hasMetadata(fields.providerOptions))
        .map(({ at }) => ({ at, message: `${at}: unsupported reasoning metadata` })),
  },
  {
    id: 'C09',
    severity: 'accept',
    evidence: 'types',
    statement: 'Empty text parts are filtered by the SDK, neighbouring tool messages combined.',
    check: nothing,
  },
  {
    id: 'C11',
    severity: 'warn',
    evidence: 'types',
    statement: 'System messages among the messages are warned about, or refused by option.',
    check: ({ messages }) => {
      const spoken = messages.findIndex(({ role }) => role !== 'system')
      const message = 'System messages are not allowed in the prompt or messages fields. Use the system option instead.'
      return messages
        .filter(({ role }, index) => role === 'system' && spoken >= 0 && index > spoken)
        .map(({ at }) => ({ at, message }))
    },
  },
  {
    id: 'C12',
    severity: 'warn',
    evidence: 'types',
    statement: 'At most four cache marks, none on reasoning: others are ignored.',
    check: checkCacheMarks,
  },
]

function hasMetadata(options: unknown): boolean {
  return Object.values(fieldsOf(options) ?? {}).some((value) => Object.keys(fieldsOf(value) ?? {}).length > 0)
}

function checkPrompt({ prompt, messages, uiMessages }: AiSdkReading['request']): Found[] {
  const given = [prompt, messages, uiMessages].filter((value) => value !== undefined).length
  if (given === 0) return [{ message: 'AI_InvalidPromptError: Invalid prompt: prompt or messages must be defined' }]
  if (prompt !== undefined && messages !== undefined) {
    return [
      { message: 'AI_InvalidPromptError: Invalid prompt: prompt and messages cannot be defined at the same time' },
    ]
  }
  if (messages !== undefined && !Array.isArray(messages)) return [{ at: 'messages', message: INVALID }]
  if (!Array.isArray(messages)) return []
  if (messages.length === 0) {
    return [{ at: 'messages', message: 'AI_InvalidPromptError: Invalid prompt: messages must not be empty' }]
  }
  return messages.some((item) => !fieldsOf(item)) ? [{ at: 'messages', message: INVALID }] : []
}

function checkMessage({ role, fields, parts, at }: ModelMessage): Found[] {
  const { content } = fields
  const wrong = { at, message: `${INVALID} (${at})` }
  if (role === 'system') return typeof content === 'string' ? [] : [wrong]
  const allowed = Object.hasOwn(PARTS, role) ? PARTS[role] : undefined
  if (allowed === undefined) return [wrong]
  if (typeof content === 'string') return role === 'tool' ? [wrong] : []
  if (!Array.isArray(content) || parts.length < content.length) return [wrong]
  return parts.some(({ type }) => !allowed.includes(type)) ? [wrong] : []
}

function checkCacheMarks({ messages }: AiSdkReading): Found[] {
  const found: Found[] = []
  let count = 0
  const note = (at: string, options: unknown, type: string): void => {
    const anthropic = fieldsOf(fieldsOf(options)?.anthropic)
    if (anthropic?.cacheControl === undefined && anthropic?.cache_control === undefined) return
    if (type === 'reasoning') found.push({ at, message: 'cache_control is not supported on thinking blocks' })
    else if (++count > MOST_BREAKPOINTS) {
      const message = `Maximum ${MOST_BREAKPOINTS} cache breakpoints exceeded (found ${count}). This breakpoint will be ignored.`
      found.push({ at, message })
    }
  }
  for (const message of messages) {
    for (const part of message.parts) note(part.at, part.fields.providerOptions, part.type)
    note(message.at, message.fields.providerOptions, '')
  }
  return found
}
