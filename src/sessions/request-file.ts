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

/** The line at which JSON.parse gave up, where its error tells. */
export function lineOfError(text: string, error: unknown): number | undefined {
  const place = /position (\d+)/.exec(error instanceof Error ? error.message : '')?.[1]
  return place === undefined ? undefined : text.slice(0, Number(place)).split('\n').length
}
