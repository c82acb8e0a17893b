/** Cache breakpoints and size: A57-A63. */
import { windowOf } from '../../../core/models.ts'
import { estimateTokens } from '../../../core/tokens.ts'
import { type Fields, fieldsOf, numberOf, textOf } from '../../fields.ts'
import { jsonBytes } from '../json-bytes.ts'
import type { Placed } from '../places.ts'
import type { Found, RequestContext, RequestRule } from '../rule.ts'
import { memoryFaults } from './memory/judge.ts'
import { allBlocks, isThinking, type MessagesReading } from './reading.ts'

const MOST_BREAKPOINTS = 4
/** Of JSON, and of a picture whose size does not matter here: enough for a minimum of a few thousand. */
const BYTES_PER_TOKEN = 3
const ASSUMED_MEDIA_TOKENS = 1500
const MOST_BYTES = 32 * 1024 * 1024

export const CACHE_RULES: readonly RequestRule<MessagesReading>[] = [
  {
    id: 'A57',
    severity: 'reject',
    evidence: 'issue',
    statement: 'At most four cache breakpoints, one at the top level included.',
    check: (reading) => {
      const top = fieldsOf(reading.request.cache_control) ? 1 : 0
      const count = breakpointsOf(reading).length + top
      if (count <= MOST_BREAKPOINTS) return []
      return [
        { message: `A maximum of ${MOST_BREAKPOINTS} blocks with cache_control may be provided. Found ${count}.` },
      ]
    },
  },
  {
    id: 'A58',
    severity: 'reject',
    evidence: 'issue',
    statement: 'No one-hour breakpoint behind a five-minute one, in the order tools, system, messages.',
    check: (reading) => {
      const marked = breakpointsOf(reading)
      const short = marked.findIndex(({ fields }) => ttlOf(fields) === '5m')
      const late = short < 0 ? [] : marked.slice(short).filter(({ fields }) => ttlOf(fields) === '1h')
      return late.map(({ at }) => ({
        at,
        message: `${at}.cache_control.ttl: a ttl='1h' cache_control block must not come after a ttl='5m' cache_control block. Note that blocks are processed in the following order: tools, system, messages.`,
      }))
    },
  },
  {
    id: 'A59',
    severity: 'reject',
    evidence: 'code',
    statement: 'No breakpoint on thinking, on empty text or on a system message that is cleared.',
    check: checkCarriers,
  },
  {
    id: 'A60',
    severity: 'warn',
    evidence: 'code',
    statement: 'A prefix shorter than the model’s minimum is not cached.',
    check: checkMinimum,
  },
  {
    id: 'A61',
    severity: 'warn',
    evidence: 'code',
    statement: 'A stored prefix is found only within 20 blocks before a breakpoint.',
    check: (reading, { memory }) => memoryFaults(reading, memory, 'A61'),
  },
  {
    id: 'A62',
    severity: 'reject',
    evidence: 'code',
    statement: 'The input fits the window; on older models together with max_tokens.',
    check: checkWindow,
  },
  {
    id: 'A63',
    severity: 'reject',
    evidence: 'doc',
    statement: 'A request body has at most 32 MB.',
    status: 413,
    check: ({ request }, { bodyBytes = jsonBytes(request) }) =>
      bodyBytes > MOST_BYTES
        ? [{ message: 'request_too_large: Request exceeds the maximum allowed number of bytes.' }]
        : [],
  },
]

/** In the order the provider processes them. */
function everyBlock(reading: MessagesReading): Placed[] {
  return [...reading.tools, ...reading.system, ...allBlocks(reading)]
}

function breakpointsOf(reading: MessagesReading): Placed[] {
  return everyBlock(reading).filter(({ fields }) => fieldsOf(fields.cache_control))
}

function ttlOf(fields: Fields): string {
  return textOf(fieldsOf(fields.cache_control)?.ttl) ?? '5m'
}

function checkCarriers(reading: MessagesReading): Found[] {
  const found: Found[] = []
  for (const block of breakpointsOf(reading)) {
    const at = `${block.at}.${block.type}`
    if (isThinking(block)) found.push({ at: block.at, message: `${at}.cache_control: Extra inputs are not permitted` })
    else if (block.type === 'text' && block.fields.text === '') {
      found.push({ at: block.at, message: `${at}: cache_control cannot be set for empty text blocks` })
    }
  }
  for (const { role, fields, blocks } of reading.messages) {
    if (role !== 'system' || fields.clear_at !== 'next_user_message') continue
    const marked = blocks.find((block) => fieldsOf(block.fields.cache_control))
    if (marked)
      found.push({ at: marked.at, message: `${marked.at}.cache_control: not allowed together with \`clear_at\`` })
  }
  return found
}

/** Estimated, and only as far as the minimum reaches. */
function checkMinimum(reading: MessagesReading): Found[] {
  const minimum = reading.facts?.cacheMinimum
  const last = breakpointsOf(reading).at(-1)
  if (minimum === undefined || last === undefined) return []
  let tokens = 0
  for (const block of everyBlock(reading)) {
    tokens += tokensOf(block)
    if (tokens >= minimum) return []
    if (block === last || block.at === last.at) break
  }
  const message = `about ${tokens} tokens before the last breakpoint; ${reading.model} caches from ${minimum} on`
  return [{ at: last.at, message }]
}

/** Results count by their parts, which are blocks of their own. */
function tokensOf({ fields, type }: Placed): number {
  if (type === 'tool_result') return 0
  if (type === 'image' || type === 'document') return ASSUMED_MEDIA_TOKENS
  const text = fields.text ?? fields.thinking
  return typeof text === 'string' ? estimateTokens(text) : Math.round(jsonBytes(fields) / BYTES_PER_TOKEN)
}

function checkWindow({ request, model, facts }: MessagesReading, { inputTokens }: RequestContext): Found[] {
  if (inputTokens === undefined) return []
  const window = windowOf(model)
  if (inputTokens > window) {
    return [{ message: `prompt is too long: ${inputTokens} tokens > ${window} maximum` }]
  }
  const output = numberOf(request.max_tokens) ?? 0
  if (!facts?.countsOutput || inputTokens + output <= window) return []
  const message = `input length and \`max_tokens\` exceed context limit: ${inputTokens} + ${output} > ${window}, decrease input length or \`max_tokens\` and try again`
  return [{ at: 'max_tokens', message }]
}
