/**
 * Cache marks that a provider refuses, taken to where it takes them: off blocks that cannot carry one (A59), never an
 * hour behind five minutes (A58), four at most (A57). Marks on tools and the system prompt are the caller's and stay.
 */
import type { JsonValue } from '../../core/transcript.ts'
import { type Fields, fieldsOf } from '../fields.ts'

const MOST_MARKS = 4
const LONG = '1h'

/** By place (`entry/index`, inside a result `entry/index/part`): the mark that stands there afterwards, if any. */
export type MarkChanges = ReadonlyMap<string, { readonly rule: string; readonly mark: JsonValue | undefined }>

interface Carrier {
  readonly place: string
  readonly takesMarks: boolean
  mark: Fields | undefined
}

export function markChanges(request: Fields): MarkChanges {
  const carriers = carriersIn(request.messages)
  const changes = new Map<string, { rule: string; mark: JsonValue | undefined }>()
  const change = (carrier: Carrier, rule: string, mark: Fields | undefined): void => {
    carrier.mark = mark
    changes.set(carrier.place, { rule, mark: mark as JsonValue | undefined })
  }
  moveToCarriers(carriers, change)
  const outside = [...marksIn(request.tools), ...marksIn(request.system)]
  let isShort = outside.some((mark) => mark.ttl !== LONG)
  for (const carrier of carriers) {
    if (!carrier.mark) continue
    if (isShort && carrier.mark.ttl === LONG) {
      const { ttl: _, ...mark } = carrier.mark
      change(carrier, 'A58', mark)
    }
    isShort ||= carrier.mark.ttl !== LONG
  }
  const others = outside.length + (fieldsOf(request.cache_control) ? 1 : 0)
  const marked = carriers.filter(({ mark }) => mark)
  // The newest are the ones that the next request reads from.
  const surplus = Math.max(0, others + marked.length - MOST_MARKS)
  for (const carrier of marked.slice(0, surplus)) change(carrier, 'A57', undefined)
  return changes
}

/** A mark that its block cannot carry moves to the nearest block before it in its message, if that has none. */
function moveToCarriers(
  carriers: readonly Carrier[],
  change: (carrier: Carrier, rule: string, mark: Fields | undefined) => void,
): void {
  let message = ''
  let previous: Carrier | undefined
  for (const carrier of carriers) {
    const [entry = ''] = carrier.place.split('/')
    if (entry !== message) previous = undefined
    message = entry
    if (carrier.takesMarks) previous = carrier
    else if (carrier.mark) {
      const { mark } = carrier
      change(carrier, 'A59', undefined)
      if (previous && !previous.mark) change(previous, 'A59', mark)
    }
  }
}

function marksIn(value: unknown): Fields[] {
  const parts: readonly unknown[] = Array.isArray(value) ? value : []
  return parts.map((part) => fieldsOf(fieldsOf(part)?.cache_control)).filter((mark) => mark !== undefined)
}

/** Every block that could carry a mark, in the order the provider reads them. */
function carriersIn(messages: unknown): Carrier[] {
  const items: readonly unknown[] = Array.isArray(messages) ? messages : []
  return items.flatMap((item, entry) => {
    const message = fieldsOf(item)
    const isCleared = message?.role === 'system' && message.clear_at === 'next_user_message'
    const blocksOf = (content: unknown, path: string): Carrier[] => {
      const parts: readonly unknown[] = Array.isArray(content) ? content : []
      return parts.flatMap((value, index): Carrier[] => {
        const part = fieldsOf(value)
        if (!part) return []
        const place = `${path}/${index}`
        const takesMarks = !isCleared && !isBare(part)
        const own = { place, takesMarks, mark: fieldsOf(part.cache_control) }
        return [own, ...(part.type === 'tool_result' ? blocksOf(part.content, place) : [])]
      })
    }
    return blocksOf(message?.content, String(entry))
  })
}

/** Thinking, and text that is or will be left out. */
function isBare({ type, text }: Fields): boolean {
  if (type === 'thinking' || type === 'redacted_thinking') return true
  return type === 'text' && typeof text === 'string' && text.trim() === ''
}
