/** Items and parameters of OpenAI Responses by themselves: B24-B29. */
import { textOf } from '../../fields.ts'
import type { Found, RequestRule } from '../rule.ts'
import type { Item, ResponsesReading } from './responses-reading.ts'

const LONGEST_ID = 64
/** How an item's id begins; `call_` ids belong into `call_id`. */
const PREFIXES = new Map([
  ['message', 'msg'],
  ['reasoning', 'rs'],
  ['function_call', 'fc'],
])
const MOST_CACHE_MARKS = 4
const HAS_PHASES = /gpt-5\.[3-9].*codex|gpt-[6-9]/

export const RESPONSES_ITEM_RULES: readonly RequestRule<ResponsesReading>[] = [
  {
    id: 'B24',
    severity: 'reject',
    evidence: 'issue',
    statement: 'Without storage items are sent whole: no references, reasoning with its encrypted content.',
    check: checkUnstored,
  },
  {
    id: 'B25',
    severity: 'reject',
    evidence: 'issue',
    statement: 'Item ids are well formed, at most 64 characters, and begin as their type does.',
    check: ({ items }) => items.flatMap(checkId),
  },
  {
    id: 'B26',
    severity: 'warn',
    evidence: 'inferred',
    statement: 'No item id stands twice.',
    check: ({ items }) => {
      const seen = new Set<string>()
      return items
        .filter(({ id, type }) => id !== undefined && type !== 'item_reference' && (seen.has(id) || !seen.add(id)))
        .map(({ id = '', at }) => ({
          at,
          id,
          message: `Duplicate item found with id ${id}. Remove duplicate items from your input and try again.`,
        }))
    },
  },
  {
    id: 'B27',
    severity: 'reject',
    evidence: 'types',
    statement: 'previous_response_id does not go with conversation.',
    check: ({ request }) => {
      const { previous_response_id: previous, conversation } = request
      if (previous === undefined || previous === null || conversation === undefined || conversation === null) return []
      const message = "Mutually exclusive parameters: 'previous_response_id' cannot be used with 'conversation'."
      return [{ at: 'previous_response_id', message }]
    },
  },
  {
    id: 'B28',
    severity: 'reject',
    evidence: 'types',
    statement: 'A compaction item carries its encrypted content.',
    check: ({ items }) =>
      items
        .filter(({ type, fields }) => type === 'compaction' && !textOf(fields.encrypted_content))
        .map(({ at }) => ({ at, message: `Missing required parameter: '${at}.encrypted_content'.` })),
  },
  {
    id: 'B29',
    severity: 'warn',
    evidence: 'types',
    statement: 'Answers keep their phase on models that have one; at most four cache marks.',
    check: checkPhases,
  },
]

function checkUnstored({ request, items }: ResponsesReading): Found[] {
  if (request.store !== false) return []
  return items
    .filter(
      ({ type, fields }) => type === 'item_reference' || (type === 'reasoning' && !textOf(fields.encrypted_content)),
    )
    .map(({ at, id = '' }) => ({
      at,
      id,
      message: `Item with id '${id}' not found. Items are not persisted when \`store\` is set to false. Try again with \`store\` set to true, or remove this item from your input.`,
    }))
}

function checkId({ fields, type, at }: Item): Found[] {
  const { id } = fields
  const prefix = PREFIXES.get(type)
  const place = `${at}.id`
  if (id === undefined || id === null) return []
  if (typeof id !== 'string') return [{ at, message: `Invalid type for '${place}': expected a string.` }]
  if (id.length > LONGEST_ID) {
    const message = `Invalid '${place}': string too long. Expected a string with maximum length ${LONGEST_ID}, but got a string with length ${id.length} instead.`
    return [{ at, id, message }]
  }
  if (!/^[A-Za-z0-9_-]+$/.test(id)) {
    const message = `Invalid '${place}': '${id}'. Expected an ID that contains letters, numbers, underscores, or dashes.`
    return [{ at, id, message }]
  }
  if (prefix === undefined || id.startsWith(prefix)) return []
  return [{ at, id, message: `Invalid '${place}': '${id}'. Expected an ID that begins with '${prefix}'.` }]
}

/** A model that is not named may have phases, too. */
function checkPhases({ items, model }: ResponsesReading): Found[] {
  const marks = items.filter(({ fields }) => fields.prompt_cache_breakpoint !== undefined)
  const [, , , , fifth] = marks
  const found: Found[] = []
  if (fifth) found.push({ at: fifth.at, message: `At most ${MOST_CACHE_MARKS} prompt_cache_breakpoint are used.` })
  if (model !== undefined && !HAS_PHASES.test(model)) return found
  for (const { type, fields, at } of items) {
    if (type !== 'message' || fields.role !== 'assistant' || typeof fields.phase === 'string') continue
    found.push({ at, message: `'${at}.phase' is missing: answers lose quality without it` })
  }
  return found
}
