/** Pictures and documents of a request: inline as base64 or a data URL, or named by a URL. */
import type { MediaPart } from '../core/transcript.ts'
import { base64Bytes, imageSize } from './image-size.ts'

const DATA_URL = /^data:([^;,]{0,100})(?:;[^;,]{0,100})*;base64,/

/** Base64 with its measures. */
export function inlineMedia(type: MediaPart['type'], mediaType: string, data: string): MediaPart {
  const size = type === 'image' ? imageSize(data) : { bytes: base64Bytes(data), width: 0, height: 0 }
  return { type, mediaType, ...size, data }
}

/** A data URL by what it holds, any other by its place. `mediaType` where the URL does not say. */
export function mediaAt(type: MediaPart['type'], url: string, mediaType: string): MediaPart {
  const head = DATA_URL.exec(url)
  if (head) return inlineMedia(type, head[1] || mediaType, url.slice(head[0].length))
  return { type, mediaType, bytes: 0, width: 0, height: 0, url }
}

/** The URL of a medium: its place, or its content as a data URL. Undefined when neither is recorded. */
export function urlOf(media: Omit<MediaPart, 'type'>): string | undefined {
  return media.data === undefined ? media.url : `data:${media.mediaType};base64,${media.data}`
}
