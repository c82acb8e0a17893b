/** Pixels of a base64 image, read from its header alone (PNG, GIF, WebP, JPEG); no decoder, no dependency. */

/** A JPEG's size stands behind its metadata; more than this is never decoded for it. */
const MOST_HEADER_BYTES = 256 * 1024
const SMALL_HEADER_BYTES = 48

export interface ImageSize {
  /** Decoded bytes. */
  readonly bytes: number
  /** 0 when unknown. */
  readonly width: number
  readonly height: number
}

/** Decoded size of base64 text. */
export function base64Bytes(data: string): number {
  const padding = data.endsWith('==') ? 2 : data.endsWith('=') ? 1 : 0
  return Math.max(0, Math.floor((data.length * 3) / 4) - padding)
}

/** Bytes and pixels of a base64 image; a header that is not understood gives 0 x 0. */
export function imageSize(data: string): ImageSize {
  const bytes = base64Bytes(data)
  const small = decodeStart(data, SMALL_HEADER_BYTES)
  const pixels = pngPixels(small) ?? gifPixels(small) ?? webpPixels(small) ?? jpegPixels(small, data)
  return { bytes, width: pixels?.width ?? 0, height: pixels?.height ?? 0 }
}

type Pixels = Pick<ImageSize, 'width' | 'height'>

function decodeStart(data: string, bytes: number): Buffer {
  return Buffer.from(data.slice(0, Math.ceil(bytes / 3) * 4), 'base64')
}

function pngPixels(head: Buffer): Pixels | undefined {
  if (head.length < 24 || head.readUInt32BE(0) !== 0x89504e47) return undefined
  return { width: head.readUInt32BE(16), height: head.readUInt32BE(20) }
}

function gifPixels(head: Buffer): Pixels | undefined {
  if (head.length < 10 || head.toString('latin1', 0, 4) !== 'GIF8') return undefined
  return { width: head.readUInt16LE(6), height: head.readUInt16LE(8) }
}

function webpPixels(head: Buffer): Pixels | undefined {
  if (head.length < 30 || head.toString('latin1', 0, 4) !== 'RIFF' || head.toString('latin1', 8, 12) !== 'WEBP') {
    return undefined
  }
  const kind = head.toString('latin1', 12, 16)
  if (kind === 'VP8X') return { width: head.readUIntLE(24, 3) + 1, height: head.readUIntLE(27, 3) + 1 }
  if (kind === 'VP8 ') return { width: head.readUInt16LE(26) & 0x3fff, height: head.readUInt16LE(28) & 0x3fff }
  if (kind !== 'VP8L') return undefined
  const packed = head.readUInt32LE(21)
  return { width: (packed & 0x3fff) + 1, height: ((packed >>> 14) & 0x3fff) + 1 }
}

function jpegPixels(head: Buffer, data: string): Pixels | undefined {
  if (head.length < 4 || head.readUInt16BE(0) !== 0xffd8) return undefined
  const start = decodeStart(data, MOST_HEADER_BYTES)
  let at = 2
  while (at + 9 <= start.length && start[at] === 0xff) {
    const marker = start[at + 1] ?? 0
    const isFrame = marker >= 0xc0 && marker <= 0xcf && marker !== 0xc4 && marker !== 0xc8 && marker !== 0xcc
    if (isFrame) return { width: start.readUInt16BE(at + 7), height: start.readUInt16BE(at + 5) }
    at += 2 + start.readUInt16BE(at + 2)
  }
  return undefined
}
