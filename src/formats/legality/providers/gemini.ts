/** Gemini: F01-F04. */
import { type Fields, fieldsOf, textOf } from '../../fields.ts'
import { fieldsUnder, type Placed, placedIn } from '../places.ts'
import type { Found, RequestRule } from '../rule.ts'

interface Content {
  readonly role: string
  readonly parts: readonly Placed[]
  readonly at: string
}

export interface GeminiReading {
  readonly request: Fields
  readonly contents: readonly Content[]
  readonly model: string | undefined
}

export function readGemini(value: unknown): GeminiReading {
  const request = fieldsOf(value) ?? {}
  const contents = placedIn(request.contents, 'contents').map(({ fields, at }) => ({
    role: textOf(fields.role) ?? '',
    parts: placedIn(fields.parts, `${at}.parts`),
    at,
  }))
  return { request, contents, model: textOf(request.model) }
}

export const GEMINI_RULES: readonly RequestRule<GeminiReading>[] = [
  {
    id: 'F01',
    severity: 'reject',
    evidence: 'code',
    statement: 'A turn of function calls follows a user turn or function responses.',
    check: ({ contents }) =>
      contents
        .filter((content, index) => callsOf(content).length > 0 && contents[index - 1]?.role !== 'user')
        .map(({ at }) => ({
          at,
          message:
            'Please ensure that function call turn comes immediately after a user turn or after a function response turn.',
        })),
  },
  {
    id: 'F02',
    severity: 'warn',
    evidence: 'inferred',
    statement: 'The next content answers every function call, in number and by name.',
    check: ({ contents }) => contents.flatMap((content, index) => checkResponses(content, contents[index + 1])),
  },
  {
    id: 'F03',
    severity: 'reject',
    evidence: 'issue',
    statement: 'The first function call of each step of the current turn carries its thought signature.',
    check: checkSignatures,
  },
  {
    id: 'F04',
    severity: 'warn',
    evidence: 'inferred',
    statement: 'Roles are user and model, in turn; no empty parts or texts; system instructions stand apart.',
    check: ({ contents }) => contents.flatMap((content, index) => checkShape(content, contents[index - 1])),
  },
]

function callsOf({ parts }: Content): Fields[] {
  return fieldsUnder(parts, 'functionCall')
}

function responsesOf(content: Content | undefined): Fields[] {
  return fieldsUnder(content?.parts ?? [], 'functionResponse')
}

function checkResponses(content: Content, next: Content | undefined): Found[] {
  const called = callsOf(content).map(({ name }) => textOf(name) ?? '')
  const answered = responsesOf(next).map(({ name }) => textOf(name) ?? '')
  if (called.length === 0 || called.sort().join('\n') === answered.sort().join('\n')) return []
  const message =
    'Please ensure that the number of function response parts is equal to the number of function call parts of the function call turn.'
  return [{ at: content.at, message }]
}

/** Models before 2.5 do not think; the first of parallel calls carries the signature for all. */
function checkSignatures({ contents, model }: GeminiReading): Found[] {
  if (model !== undefined && /gemini-(1|2\.0)/.test(model)) return []
  const current = contents.findLastIndex((content) => content.role === 'user' && responsesOf(content).length === 0)
  return contents.slice(current + 1).flatMap((content) => {
    const first = content.parts.find(({ fields }) => fieldsOf(fields.functionCall))
    const call = fieldsOf(first?.fields.functionCall)
    if (!first || textOf(first.fields.thoughtSignature ?? first.fields.thought_signature)) return []
    const position = Number(content.at.split('.')[1]) + 1
    const message = `Function call is missing a thought_signature in functionCall parts. This is required for tools to work correctly, and missing thought_signature may lead to degraded model performance. Additional data, function call \`default_api:${textOf(call?.name) ?? ''}\`, position ${position}.`
    return [{ at: first.at, message }]
  })
}

function checkShape({ role, parts, at }: Content, before: Content | undefined): Found[] {
  const found: Found[] = []
  if (role !== 'user' && role !== 'model') found.push({ at, message: `${at}: Please use a valid role: user, model.` })
  else if (role === before?.role) found.push({ at, message: `${at}: roles must alternate between user and model` })
  const empty = parts.find(({ fields }) => fields.text === '')
  if (empty || parts.length === 0) {
    found.push({ at: empty?.at ?? at, message: 'Unable to submit request because it must have a text parameter' })
  }
  return found
}
