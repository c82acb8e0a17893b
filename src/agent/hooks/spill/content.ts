/**
 * What a tool's answer holds: its texts, wherever they stand, and its images and documents. The answer's shape must
 * survive, so everything is found together with the place to put something else.
 */
import { base64Bytes } from '../../../formats/image-size.ts'
import { isRecord } from '../pre-tool-use.ts'

type Holder = Record<string | number, unknown>

export interface TextSlot {
  readonly text: string
  /** It stands somewhere inside a list. */
  readonly inList: boolean
  put(text: string): void
}

export interface MediaSlot {
  readonly kind: 'image' | 'document' | 'audio' | 'file'
  readonly mediaType: string
  readonly data: string
  readonly bytes: number
  put(text: string): void
}

export interface Content {
  /** A copy of the answer's objects and lists; the slots write into it. */
  readonly copy: () => unknown
  readonly texts: readonly TextSlot[]
  readonly media: readonly MediaSlot[]
}

/** Deeper than any tool answers; what lies below stays as it is. */
const MOST_DEPTH = 40
/** Strings under these keys are no text: pages of a document, pictures in a notebook. */
const BLOBS: ReadonlySet<string> = new Set(['base64', 'blob', 'image_data'])

/** @param filePath what a Read asked for: a text in place of a picture needs it */
export function contentOf(response: unknown, filePath: string): Content {
  const root: Holder = { answer: response }
  const texts: TextSlot[] = []
  const media: MediaSlot[] = []
  const visit = (holder: Holder, key: string | number, inList: boolean, depth: number): void => {
    const value = holder[key]
    if (typeof value === 'string') {
      // A picture that a command printed in a way we do not know is still no text.
      if (BLOBS.has(String(key)) || (key === 'stdout' && holder.isImage === true)) return
      texts.push({ text: value, inList, put: (text) => set(holder, key, text) })
      return
    }
    if (typeof value !== 'object' || value === null || depth > MOST_DEPTH) return
    const found = mediaIn(value, filePath)
    if (found) {
      const { replacement, ...facts } = found
      media.push({ ...facts, bytes: base64Bytes(facts.data), put: (text) => set(holder, key, replacement(text)) })
      return
    }
    if (Array.isArray(value)) {
      const list = [...value] as unknown as Holder
      set(holder, key, list)
      for (let at = 0; at < value.length; at++) visit(list, at, true, depth + 1)
      return
    }
    const record = Object.fromEntries(Object.entries(value)) as Holder
    set(holder, key, record)
    for (const name of Object.keys(record)) visit(record, name, inList, depth + 1)
  }
  visit(root, 'answer', false, 0)
  return { copy: () => root.answer, texts, media }
}

function set(holder: Holder, key: string | number, value: unknown): void {
  // Not by assignment: a key of an answer may be called `__proto__`.
  Object.defineProperty(holder, key, { value, writable: true, enumerable: true, configurable: true })
}

/** Is it one image or document, in whatever shape? */
export function isMedia(value: unknown): boolean {
  return typeof value === 'object' && value !== null && mediaIn(value, '') !== undefined
}

type FoundMedia = Pick<MediaSlot, 'kind' | 'mediaType' | 'data'> & { readonly replacement: (text: string) => unknown }

/** An image or document in any of the shapes that tools of Claude Code and MCP servers give. */
function mediaIn(value: object, filePath: string): FoundMedia | undefined {
  const part = value as Record<string, unknown>
  const asPart = (text: string) => ({ type: 'text', text })
  const { source, resource, file } = part
  if (isRecord(source) && source.type === 'base64' && typeof source.data === 'string') {
    return {
      kind: kindOf(part.type),
      mediaType: String(source.media_type ?? ''),
      data: source.data,
      replacement: asPart,
    }
  }
  if (typeof part.data === 'string' && typeof part.mimeType === 'string') {
    return { kind: kindOf(part.type), mediaType: part.mimeType, data: part.data, replacement: asPart }
  }
  if (isRecord(resource) && typeof resource.blob === 'string') {
    return { kind: 'file', mediaType: String(resource.mimeType ?? ''), data: resource.blob, replacement: asPart }
  }
  if (isRecord(file) && typeof file.base64 === 'string' && (part.type === 'image' || part.type === 'pdf')) {
    const isImage = part.type === 'image'
    return {
      kind: isImage ? 'image' : 'document',
      mediaType: isImage ? String(file.type ?? '') : 'application/pdf',
      data: file.base64,
      replacement: (content) => ({
        type: 'text',
        file: { filePath, content, numLines: 1, startLine: 1, totalLines: 1 },
      }),
    }
  }
  if (part.isImage === true && typeof part.stdout === 'string') return imageOfCommand(part, part.stdout)
  return undefined
}

const DATA_URL = /^\s*data:([\w.+-]+\/[\w.+-]+);base64,/

/** A command that printed a picture as a data URL. */
function imageOfCommand(answer: Record<string, unknown>, stdout: string): FoundMedia | undefined {
  const start = DATA_URL.exec(stdout.slice(0, 200))
  if (!start) return undefined
  return {
    kind: 'image',
    mediaType: start[1] ?? '',
    data: stdout.slice(start[0].length).trim(),
    replacement(text) {
      const { persistedOutputPath: _, persistedOutputSize: __, ...rest } = answer
      return { ...rest, stdout: text, isImage: false }
    },
  }
}

function kindOf(type: unknown): MediaSlot['kind'] {
  return type === 'image' || type === 'document' || type === 'audio' ? type : 'file'
}
