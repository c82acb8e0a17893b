/** A picture that no codec makes small. */
import { createHash } from 'node:crypto'
import { deflateSync } from 'node:zlib'

const SIGNATURE = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a])

/** A square PNG of pixels like noise, the same each time; about three bytes a pixel. */
export function noisePng(side: number): Buffer {
  const header = Buffer.alloc(13)
  header.writeUInt32BE(side, 0)
  header.writeUInt32BE(side, 4)
  // Eight bits a channel, red, green and blue.
  header[8] = 8
  header[9] = 2
  const rows = Array.from({ length: side }, (_, row) => Buffer.concat([Buffer.from([0]), noise(row, side * 3)]))
  const pixels = deflateSync(Buffer.concat(rows), { level: 1 })
  return Buffer.concat([SIGNATURE, chunk('IHDR', header), chunk('IDAT', pixels), chunk('IEND', Buffer.alloc(0))])
}

function noise(seed: number, bytes: number): Buffer {
  const pieces: Buffer[] = []
  for (let length = 0, each = 0; length < bytes; length += 64, each++) {
    pieces.push(createHash('sha512').update(`${seed}/${each}`).digest())
  }
  return Buffer.concat(pieces).subarray(0, bytes)
}

function chunk(type: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type), data])
  const whole = Buffer.alloc(body.length + 8)
  whole.writeUInt32BE(data.length, 0)
  body.copy(whole, 4)
  whole.writeUInt32BE(crc32(body), body.length + 4)
  return whole
}

function crc32(bytes: Buffer): number {
  let sum = 0xffffffff
  for (const byte of bytes) {
    sum ^= byte
    for (let bit = 0; bit < 8; bit++) sum = sum & 1 ? (sum >>> 1) ^ 0xedb88320 : sum >>> 1
  }
  return (sum ^ 0xffffffff) >>> 0
}
