/** A PNG of noise, which no compression makes small. */
import { crc32, deflateSync } from 'node:zlib'

/** @returns width x height pixels, about three bytes each */
export function noiseImage(width: number, height: number): Buffer {
  const header = Buffer.alloc(13)
  header.writeUInt32BE(width, 0)
  header.writeUInt32BE(height, 4)
  header[8] = 8
  header[9] = 2
  const row = width * 3 + 1
  const pixels = Buffer.alloc(row * height)
  let state = 1
  for (let at = 0; at < pixels.length; at++) {
    // A linear congruential generator: the same noise on every run.
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0
    pixels[at] = at % row === 0 ? 0 : state >>> 24
  }
  const chunks = [chunk('IHDR', header), chunk('IDAT', deflateSync(pixels)), chunk('IEND', Buffer.alloc(0))]
  return Buffer.concat([Buffer.from('89504e470d0a1a0a', 'hex'), ...chunks])
}

function chunk(type: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type), data])
  const frame = Buffer.alloc(8)
  frame.writeUInt32BE(data.length, 0)
  frame.writeUInt32BE(crc32(body), 4)
  return Buffer.concat([frame.subarray(0, 4), body, frame.subarray(4)])
}
