/** A file that holds one JSON value, a request or a part of one: read whole, within bounds. */
import { SpillwayError } from '../core/errors.ts'
import { skipValue, skipWhitespace } from '../formats/json-spans.ts'
import type { Source } from './source.ts'

/** A provider takes 32 MB (A63); a history may have grown some times beyond that. */
const LARGEST_REQUEST_BYTES = 256 * 1024 * 1024
/** Deeper values are no requests, and would exhaust the stack of whoever writes them. */
const MOST_NESTING = 500

/** @throws SpillwayError `unreadable` */
export async function wholeOf(source: Source): Promise<Buffer> {
  const chunks: Buffer[] = []
  let bytes = 0
  for await (const chunk of source.chunks()) {
    chunks.push(chunk)
    bytes += chunk.length
    if (bytes <= LARGEST_REQUEST_BYTES) continue
    const message = `more than the ${LARGEST_REQUEST_BYTES} bytes that a request may have`
    throw new SpillwayError('unreadable', `${source.file}: ${message}`)
  }
  return Buffer.concat(chunks)
}

/** @throws SpillwayError `unreadable` where the bytes are no UTF-8 */
export function textIn(bytes: Buffer, source: Source): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch (cause) {
    throw new SpillwayError('unreadable', `${source.file}: no UTF-8 text`, { cause })
  }
}

/** @param text has passed JSON.parse. @throws SpillwayError `unreadable` */
export function refuseDeep(text: string, source: Source): void {
  if (skipValue(text, skipWhitespace(text, 0), MOST_NESTING).state !== 'deep') return
  throw new SpillwayError('unreadable', `${source.file}: nested deeper than ${MOST_NESTING} levels; no request is`)
}

/** Looking for the place takes two dozen readings. */
const MOST_SEARCHED_CHARS = 16 * 1024 * 1024

/** The line at which JSON.parse gave up; its error names the place only sometimes. */
export function lineOfError(text: string, error: unknown): number | undefined {
  const place = placeIn(error) ?? (text.length > MOST_SEARCHED_CHARS ? undefined : firstFault(text))
  if (place === undefined) return undefined
  let line = 1
  for (let at = text.indexOf('\n'); at >= 0 && at < place; at = text.indexOf('\n', at + 1)) line++
  return line
}

function placeIn(error: unknown): number | undefined {
  const place = /position (\d+)/.exec(error instanceof Error ? error.message : '')?.[1]
  return place === undefined ? undefined : Number(place)
}

/** Where the longest beginning ends that could still become JSON. */
function firstFault(text: string): number {
  let [fine, faulty] = [0, text.length + 1]
  while (faulty - fine > 1) {
    const middle = Math.floor((fine + faulty) / 2)
    if (mayGoOn(text.slice(0, middle))) fine = middle
    else faulty = middle
  }
  return fine
}

/** The parser stumbles over nothing but the end. */
function mayGoOn(beginning: string): boolean {
  try {
    JSON.parse(beginning)
    return true
  } catch (error) {
    const says = error instanceof Error ? error.message : ''
    return /end of JSON input|Unterminated string/.test(says) || (placeIn(error) ?? -1) >= beginning.length
  }
}
