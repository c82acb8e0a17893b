/** What belongs together in OpenAI Responses: B20-B23, B30, B31. */
import { fieldsOf } from '../../fields.ts'
import { idText } from '../places.ts'
import type { Found, RequestRule } from '../rule.ts'
import { callTypeOf, type Item, outputTypeOf, type ResponsesReading } from './responses-reading.ts'

/** Their calls have ids, and no reasoning before them. */
const NEVER_REASONS = /^(gpt-3|gpt-4|chatgpt-4)/

export const RESPONSES_PAIRING_RULES: readonly RequestRule<ResponsesReading>[] = [
  {
    id: 'B20',
    severity: 'reject',
    evidence: 'issue',
    statement: 'Every call of the effective input has its output.',
    check: ({ items }) => {
      const answered = new Set(items.filter(callTypeOf).map(({ type, callId }) => `${type} ${callId}`))
      return items
        .filter((item) => outputTypeOf(item) !== undefined && !answered.has(`${outputTypeOf(item)} ${item.callId}`))
        .map(({ at, callId, type }) => ({
          at,
          id: callId,
          message: `No tool output found for ${type.replace(/_/g, ' ')} ${callId}.`,
        }))
    },
  },
  {
    id: 'B21',
    severity: 'reject',
    evidence: 'issue',
    statement: 'Every output has its call earlier in the effective input.',
    check: ({ items, continues }) => (continues ? [] : orphanOutputs(items)),
  },
  {
    id: 'B22',
    severity: 'reject',
    evidence: 'issue',
    statement: 'A reasoning item is directly followed by what it led to.',
    check: ({ items }) =>
      items
        .filter(({ type }, index) => type === 'reasoning' && !leadsTo(items[index + 1]))
        .map(({ at, id }) => ({
          at,
          message: `Item '${id ?? at}' of type 'reasoning' was provided without its required following item.`,
          ...(id === undefined ? {} : { id }),
        })),
  },
  {
    id: 'B23',
    severity: 'reject',
    evidence: 'issue',
    statement: 'A call sent with its id has the reasoning it came from before it.',
    check: checkReasoningBefore,
  },
  {
    id: 'B30',
    severity: 'reject',
    evidence: 'issue',
    statement: 'The items of one turn keep their order: reasoning, message, calls.',
    check: checkOrder,
  },
  {
    id: 'B31',
    severity: 'warn',
    evidence: 'types',
    statement: 'A call made by a program names a program item (that it is refused is inferred).',
    check: checkPrograms,
  },
]

function orphanOutputs(items: readonly Item[]): Found[] {
  const called = new Set<string>()
  const found: Found[] = []
  for (const item of items) {
    const { at, type, callId } = item
    if (outputTypeOf(item) !== undefined) called.add(`${type} ${callId}`)
    const call = callTypeOf(item)
    if (call === undefined || called.has(`${call} ${callId}`)) continue
    const message = `No tool call found for ${type.replace(/_/g, ' ')} with call_id ${callId}.`
    found.push({ at, id: callId, message })
  }
  return found
}

/** Whatever the model may have said or done next; input and outputs are not its own. */
function leadsTo(next: Item | undefined): boolean {
  if (next === undefined || next.type === 'compaction' || callTypeOf(next) !== undefined) return false
  return next.type !== 'message' || next.fields.role === 'assistant'
}

/**
 * Messages have ids without reasoning, too; calls with ids are taken for made with it, unless the model does not
 * reason. One reasoning item in a turn is enough: the calls after an output may come without a new one.
 */
function checkReasoningBefore({ items, continues, model }: ResponsesReading): Found[] {
  if (continues || (model !== undefined && NEVER_REASONS.test(model))) return []
  const found: Found[] = []
  let reasoned = false
  for (const { type, id, at, fields } of items) {
    if (type === 'reasoning' || type === 'item_reference') reasoned = true
    else if (type === 'message' && fields.role !== 'assistant') reasoned = false
    else if (type === 'function_call' && id?.startsWith('fc_') && !reasoned) {
      const message = `Item '${id}' of type '${type}' was provided without its required 'reasoning' item: '${id.replace(/^fc/, 'rs')}'.`
      found.push({ at, id, message })
    }
  }
  return found
}

/**
 * A message that follows a call of its own turn was moved behind it: its reasoning stands before the call. Without
 * reasoning in the turn the order is the client's.
 */
function checkOrder({ items }: ResponsesReading): Found[] {
  const found: Found[] = []
  let reasoning: Item | undefined
  let called = false
  for (const item of items) {
    if (item.type === 'reasoning') {
      reasoning = item
      called = false
    } else if (outputTypeOf(item) !== undefined) called = true
    else if (item.type === 'message' && item.fields.role === 'assistant') {
      if (called && reasoning && item.id !== undefined) {
        const message = `Item '${item.id}' of type 'message' was provided without its required 'reasoning' item: '${reasoning.id ?? ''}'.`
        found.push({ at: item.at, id: item.id, message })
      }
    } else {
      reasoning = undefined
      called = false
    }
  }
  return found
}

function checkPrograms({ items, continues }: ResponsesReading): Found[] {
  if (continues) return []
  const programs = new Set<unknown>(
    items.filter(({ type }) => type.startsWith('program')).flatMap(({ fields }) => [fields.id, fields.call_id]),
  )
  return items.flatMap(({ fields, at }) => {
    const caller = fieldsOf(fields.caller)
    if (caller?.type !== 'program' || programs.has(caller.caller_id)) return []
    const id = idText(caller.caller_id)
    return [{ at, id, message: `No program found for caller_id '${id}' ('${at}.caller').` }]
  })
}
