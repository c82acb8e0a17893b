/** Parts of AI SDK messages that both of its message kinds share (message-rules C01-C12). */
import { mediaBlock, opaqueBlock, textBlock, thinkingBlock } from '../../core/blocks.ts'
import type {
  Address,
  Block,
  JsonObject,
  JsonValue,
  MediaPart,
  ResultBlock,
  ResultPart,
} from '../../core/transcript.ts'
import { type Fields, fieldsOf, textOf } from '../fields.ts'
import { inlineMedia, mediaAt } from '../media.ts'

/** A text, a piece of reasoning, a picture or a document; all else is opaque. Undefined for a blank text (C09). */
export function partBlock(value: unknown, at: Address): Block | undefined {
  const part = fieldsOf(value) ?? {}
  if (part.type === 'text' && typeof part.text === 'string')
    return part.text === '' ? undefined : textBlock(at, part.text)
  if (part.type === 'reasoning') return reasoningOf(part, at)
  const media = mediaOf(part)
  return media ? mediaBlock(at, media) : opaqueBlock(at, textOf(part.type) ?? 'unknown', JSON.stringify(value) ?? '')
}

/** What a provider signed stands in its own options, whose names differ: any long string there seals the part (C08). */
function reasoningOf(part: Fields, at: Address): Block {
  const text = textOf(part.text) ?? ''
  const options = Object.values(fieldsOf(part.providerOptions) ?? fieldsOf(part.providerMetadata) ?? {})
  const seals = options
    .flatMap((own) => Object.values(fieldsOf(own) ?? {}))
    .filter((value) => typeof value === 'string')
  const signatureChars = seals.reduce((sum, seal) => sum + seal.length, 0)
  const redacted = options.some((own) => fieldsOf(own)?.redactedData !== undefined)
  return thinkingBlock(at, text, { redacted, signed: seals.length > 0, signatureChars })
}

/** `image` parts, `file` parts of both message kinds, with text, bytes or a URL; undefined for anything else. */
export function mediaOf(part: Fields): MediaPart | undefined {
  const isImage = part.type === 'image' || part.type === 'image-data' || part.type === 'image-url'
  if (!isImage && part.type !== 'file' && part.type !== 'media' && !/^file-(data|url)$/.test(textOf(part.type) ?? '')) {
    return undefined
  }
  const recorded = [part.image, part.data, part.url].map(dataOf).find((data) => data !== undefined)
  if (recorded === undefined || recorded === '') return undefined
  const mediaType = textOf(part.mediaType) ?? (isImage ? 'image/png' : 'application/octet-stream')
  const type = isImage || mediaType.startsWith('image/') ? 'image' : 'document'
  const isPlace = /^[a-z][a-z0-9+.-]*:/i.test(recorded)
  return isPlace ? mediaAt(type, recorded, mediaType) : inlineMedia(type, mediaType, recorded)
}

/** A live request also holds bytes and URL objects, which no recording has. */
function dataOf(value: unknown): string | undefined {
  if (value instanceof Uint8Array) return Buffer.from(value.buffer, value.byteOffset, value.length).toString('base64')
  if (value instanceof ArrayBuffer) return Buffer.from(value).toString('base64')
  return value instanceof URL ? value.href : textOf(value)
}

export interface Output {
  readonly parts: readonly ResultPart[]
  readonly isError: boolean
  readonly isRefused: boolean
}

/** A result's tagged output (C04); a value that is no text counts as the JSON that is sent. */
export function outputOf(value: unknown): Output {
  const output = fieldsOf(value)
  const type = textOf(output?.type) ?? ''
  const facts = { isError: type.startsWith('error-'), isRefused: type === 'execution-denied' }
  if (facts.isRefused) return { ...facts, parts: [{ type: 'text', text: textOf(output?.reason) ?? '' }] }
  if (type === 'content' && Array.isArray(output?.value)) return { ...facts, parts: output.value.map(contentPart) }
  return { ...facts, parts: [{ type: 'text', text: jsonText(output && 'value' in output ? output.value : value) }] }
}

/** A string as it is, anything else as JSON. */
export function jsonText(value: unknown): string {
  return typeof value === 'string' ? value : (JSON.stringify(value) ?? '')
}

function contentPart(value: unknown): ResultPart {
  const part = fieldsOf(value) ?? {}
  if (part.type === 'text' && typeof part.text === 'string') return { type: 'text', text: part.text }
  return mediaOf(part) ?? { type: 'opaque', name: textOf(part.type) ?? 'unknown', json: JSON.stringify(value) ?? '' }
}

/** The tagged output of a changed result. */
export function outputWith(output: JsonValue | undefined, before: ResultBlock, after: ResultBlock): JsonValue {
  const recorded = fieldsOf(output)
  if (recorded?.type === 'content' && Array.isArray(recorded.value) && after.parts.length === before.parts.length) {
    const changed = after.parts.some((part, index) => part !== before.parts[index])
    const value = recorded.value.map((item: JsonValue, index) => {
      const part = after.parts[index]
      return part === before.parts[index] || part?.type !== 'text' ? item : { type: 'text', text: part.text }
    })
    if (!after.isError) return changed ? { ...(recorded as JsonObject), value } : (output as JsonValue)
  }
  const [only] = after.parts
  return { type: after.isError ? 'error-text' : 'text', value: only?.type === 'text' ? only.text : '' }
}
