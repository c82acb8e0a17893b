/** Where an Anthropic request carries its `cache_control` breakpoints: as `fit` reports, within the API's rules. */
import { type Fields, fieldsOf } from '../formats/fields.ts'

/** A57. */
const MOST_MARKS = 4
const SHORT = { type: 'ephemeral' }

/**
 * The request with breakpoints behind the system prompt and behind these messages, the newest first where there is not
 * room for all. Breakpoints that the caller has set stay; with one for the whole request the newest is not needed.
 */
export function withCacheMarks(request: Fields, breakpoints: readonly number[]): Fields {
  const messages = Array.isArray(request.messages) ? [...(request.messages as unknown[])] : []
  const given =
    marksIn(request.tools) + marksIn(request.system) + messages.reduce<number>((sum, each) => sum + marksIn(each), 0)
  const isAutomatic = fieldsOf(request.cache_control) !== undefined
  let room = MOST_MARKS - given - (isAutomatic ? 1 : 0)
  const mark = longMarkIn(messages) ?? SHORT
  const wanted = isAutomatic ? breakpoints.filter((index) => index < messages.length - 1) : breakpoints
  for (const index of [...wanted].reverse()) {
    const marked = room > 0 ? markedMessage(messages[index], mark) : undefined
    if (marked === undefined) continue
    messages[index] = marked
    room--
  }
  const system = room > 0 && given === 0 ? markedSystem(request.system, mark) : undefined
  return { ...request, messages, ...(system === undefined ? {} : { system }) }
}

function markedSystem(system: unknown, mark: unknown): unknown {
  if (typeof system === 'string')
    return system === '' ? undefined : [{ type: 'text', text: system, cache_control: mark }]
  return Array.isArray(system) ? markedLast(system, mark) : undefined
}

/** Undefined where the message has no place for a mark (A59) or carries one. */
function markedMessage(message: unknown, mark: unknown): unknown {
  const fields = fieldsOf(message)
  if (!fields || marksIn(fields) > 0 || fields.clear_at !== undefined) return undefined
  const { content } = fields
  const blocks = typeof content === 'string' ? [{ type: 'text', text: content }] : content
  const marked = Array.isArray(blocks) ? markedLast(blocks, mark) : undefined
  return marked && { ...fields, content: marked }
}

function markedLast(blocks: readonly unknown[], mark: unknown): unknown[] | undefined {
  const last = fieldsOf(blocks.at(-1))
  if (!last || last.type === 'thinking' || last.type === 'redacted_thinking' || last.text === '') return undefined
  return [...blocks.slice(0, -1), { ...last, cache_control: mark }]
}

/** A mark of five minutes must not stand before one of an hour (A58): then ours lives as long. */
function longMarkIn(messages: readonly unknown[]): unknown {
  for (const message of messages) {
    for (const block of blocksOf(fieldsOf(message)?.content)) {
      if (fieldsOf(block.cache_control)?.ttl === '1h') return block.cache_control
    }
  }
  return undefined
}

/** Breakpoints on the value's blocks: a list of blocks or tools, or a message. */
function marksIn(value: unknown): number {
  const blocks = Array.isArray(value) ? blocksOf(value) : blocksOf(fieldsOf(value)?.content)
  return blocks.filter((block) => fieldsOf(block.cache_control)).length
}

function blocksOf(content: unknown): Fields[] {
  if (!Array.isArray(content)) return []
  return content.map(fieldsOf).filter((block) => block !== undefined)
}
