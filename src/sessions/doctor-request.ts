/**
 * `doctor` on a request: one JSON value that holds a conversation (docs/formats-arrays.md). A request's object is
 * judged as it would be sent, a bare array as a history that may end anywhere. What no repair touches keeps its bytes.
 */
import { createHash } from 'node:crypto'
import type { Edit } from '../core/edits.ts'
import { SpillwayError } from '../core/errors.ts'
import type { Violation } from '../core/legality/index.ts'
import type { JsonObject, JsonValue } from '../core/transcript.ts'
import { itemsOf } from '../formats/array-format.ts'
import { ARRAY_FORMATS, arrayFormatOf } from '../formats/array-formats.ts'
import { FORMATS } from '../formats/index.ts'
import { elementsAt, skipWhitespace, spanOf } from '../formats/json-spans.ts'
import { repairRequest } from '../formats/repair-request.ts'
import { responses } from '../formats/responses/index.ts'
import { archiveRewriting } from './archive-rewriting.ts'
import type { DoctorOptions, DoctorReport, ReportedViolation } from './doctor-report.ts'
import { rejections } from './proof.ts'
import { lineOfError, refuseDeep, textIn, wholeOf } from './request-file.ts'
import type { Source } from './source.ts'
import { discard, publishNew, stageFile } from './staged-file.ts'

/**
 * Examines and repairs a request.
 * @param failure why the source is no session: thrown when it is no JSON either
 * @throws SpillwayError `unreadable`, or as `doctorSession`
 */
export async function doctorRequest(
  source: Source,
  options: DoctorOptions,
  failure: SpillwayError,
): Promise<DoctorReport> {
  const bytes = await wholeOf(source)
  const text = textIn(bytes, source)
  const given = parsed(text, source, failure)
  const format = arrayFormatOf(given, options.model)
  if (!format) throw unknownRequest(source)
  const key = format === responses ? 'input' : 'messages'
  const at = Array.isArray(given) ? 'rest' : 'request'
  const value = readBy(given, key, options.model)
  const before = format.check(value, at)
  const repaired = repairRequest(format, value, at)
  const after = options.fix === undefined ? null : format.check(repaired.value, at)
  if (options.fix !== undefined && after !== null) {
    if (rejections(after).length > rejections(before).length) {
      throw new SpillwayError('conflict', `${source.file}: the repair would make it worse; nothing was written`)
    }
    const content = repaired.edits.length > 0 ? Buffer.from(rewritten(text, key, given, repaired.value)) : bytes
    await write(source, bytes, content, repaired.edits, options)
  }
  return {
    file: source.file,
    format: format.name,
    violations: before.map((violation) => reported(violation, key)),
    repairs: repaired.edits.map(({ rule, reason, at: { entry } }) => {
      return { rule, line: null, what: `${key}.${entry}: ${reason}` }
    }),
    out: options.fix ?? null,
    remaining: after?.map((violation) => reported(violation, key)) ?? null,
  }
}

/** The value with the model that will read it, which decides what is legal. */
function readBy(given: JsonValue, key: string, model: string | undefined): JsonValue {
  if (model === undefined) return given
  return Array.isArray(given) ? { [key]: given, model } : { ...(given as JsonObject), model }
}

function parsed(text: string, source: Source, failure: SpillwayError): JsonValue {
  let value: JsonValue
  try {
    value = JSON.parse(text) as JsonValue
  } catch (error) {
    // What does not begin as a request was meant as a session; what does gets the line where it breaks.
    if (!/^\s*(\[|\{\s*("|$))/.test(text)) throw failure
    const line = lineOfError(text, error)
    const end = line === undefined ? '' : `, which this is up to line ${line}`
    throw new SpillwayError('unreadable', `${failure.message}, or a request in JSON${end}`, { cause: error })
  }
  refuseDeep(text, source)
  return value
}

function unknownRequest(source: Source): SpillwayError {
  const names = ARRAY_FORMATS.map(({ name }) => name).join(', ')
  const sessions = FORMATS.map(({ name }) => name).join(', ')
  const expected = `expected a request of ${names}, or a session of ${sessions}`
  return new SpillwayError('unreadable', `${source.file}: JSON that holds no conversation; ${expected}`)
}

/** The text with the repaired array in place of the old; items that are the same objects keep their characters. */
function rewritten(text: string, key: string, given: JsonValue, repaired: JsonValue): string {
  const span = spanOf(text, Array.isArray(given) ? [] : [key], skipWhitespace(text, 0))
  if (!span) throw new TypeError(`no ${key} to write`)
  const spans = elementsAt(text, span.start)
  const places = new Map((itemsOf(given, key) ?? []).map((item, index) => [item, spans[index]]))
  const pieces = (itemsOf(repaired, key) ?? []).map((item) => {
    const place = places.get(item)
    return place ? text.slice(place.start, place.end) : JSON.stringify(item)
  })
  const [first, second] = spans
  const between = first && second ? text.slice(first.end, second.start) : ','
  const opening = first ? text.slice(span.start, first.start) : '['
  const closing = text.slice(spans.at(-1)?.end ?? span.end - 1, span.end)
  return `${text.slice(0, span.start)}${opening}${pieces.join(between)}${first ? closing : ']'}${text.slice(span.end)}`
}

/** Archives what left and the whole input, which undoes it, then gives the file its name. */
async function write(
  source: Source,
  input: Buffer,
  output: Buffer,
  edits: readonly Edit[],
  options: DoctorOptions,
): Promise<void> {
  const staged = await stageFile(options.fix ?? '', piecesOf(output))
  try {
    const rewriting = {
      splices: () => [{ start: 0, end: output.length, original: input }],
      input: () => ({ bytes: input.length, sha256: createHash('sha256').update(input).digest() }),
    }
    const removed = edits.flatMap((edit) => edit.removed)
    await archiveRewriting({ source, session: { facts: {} } }, removed, rewriting, staged, options.archive)
    publishNew(staged)
  } catch (error) {
    discard(staged)
    throw error
  }
}

async function* piecesOf(output: Buffer): AsyncGenerator<Buffer> {
  yield output
}

function reported({ rule, severity, message, at, id }: Violation, key: string): ReportedViolation {
  const place = at === undefined || Number.isNaN(at.entry) ? undefined : `${key}.${at.entry}`
  const isNamed = place === undefined || message.includes(`${place}`) || message.includes(`${key}[${at?.entry}]`)
  return { rule, severity, line: null, id: id ?? place ?? null, message: isNamed ? message : `${place}: ${message}` }
}
