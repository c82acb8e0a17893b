/**
 * How bytes are stored. Brotli at quality 1 packs removed content nearly as small as deflate and much faster
 * (docs/archive.md has the figures); what does not shrink is stored as it is.
 */
import { brotliCompressSync, brotliDecompressSync, constants } from 'node:zlib'

export interface Packed {
  readonly packing: string
  readonly body: Uint8Array
}

const QUALITY = 1
/** Log2 of the largest window: a `toolUseResult` copy may stand far behind its original. */
const MOST_WINDOW = constants.BROTLI_DEFAULT_WINDOW
/** Shorter content costs more time than the bytes are worth. */
const LEAST_BYTES = 64

export function pack(bytes: Uint8Array): Packed {
  if (bytes.length >= LEAST_BYTES) {
    const body = brotliCompressSync(bytes, {
      params: {
        [constants.BROTLI_PARAM_QUALITY]: QUALITY,
        // A window beyond the content would only cost its memory, once more with every unpacking.
        [constants.BROTLI_PARAM_LGWIN]: Math.min(
          MOST_WINDOW,
          Math.max(constants.BROTLI_MIN_WINDOW_BITS, Math.ceil(Math.log2(bytes.length))),
        ),
        [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length,
      },
    })
    if (body.length < bytes.length) return { packing: 'brotli', body }
  }
  return { packing: 'none', body: bytes }
}

/** @throws Error when the body is damaged or longer than `bytes` */
export function unpack(packed: Packed, bytes: number): Buffer {
  const body = Buffer.from(packed.body.buffer, packed.body.byteOffset, packed.body.byteLength)
  if (packed.packing === 'none') return body
  return brotliDecompressSync(body, { maxOutputLength: Math.max(bytes, 1) })
}
