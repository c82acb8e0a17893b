import { describe, expect, it } from 'vitest'
import { base64Bytes, imageSize } from './image-size.ts'

function png(width: number, height: number): Buffer {
  const bytes = Buffer.alloc(40)
  bytes.writeUInt32BE(0x89504e47, 0)
  bytes.writeUInt32BE(width, 16)
  bytes.writeUInt32BE(height, 20)
  return bytes
}

describe('imageSize', () => {
  it('reads a PNG header', () => {
    const bytes = png(640, 480)
    expect(imageSize(bytes.toString('base64'))).toEqual({ bytes: 40, width: 640, height: 480 })
  })

  it('reads a GIF header', () => {
    const bytes = Buffer.alloc(20)
    bytes.write('GIF89a', 'latin1')
    bytes.writeUInt16LE(33, 6)
    bytes.writeUInt16LE(44, 8)
    expect(imageSize(bytes.toString('base64'))).toMatchObject({ width: 33, height: 44 })
  })

  it('finds the frame of a JPEG behind long metadata', () => {
    const metadata = Buffer.alloc(2 + 5000)
    metadata.writeUInt16BE(0xffe1, 0)
    metadata.writeUInt16BE(5000, 2)
    const frame = Buffer.from([0xff, 0xc0, 0, 17, 8, 0x01, 0x00, 0x02, 0x00, 3, 0, 0])
    const bytes = Buffer.concat([Buffer.from([0xff, 0xd8]), metadata, frame])
    expect(imageSize(bytes.toString('base64'))).toMatchObject({ width: 512, height: 256 })
  })

  it('reads the three kinds of WebP', () => {
    const webp = (kind: string, fill: (bytes: Buffer) => void): string => {
      const bytes = Buffer.alloc(40)
      bytes.write('RIFF', 0, 'latin1')
      bytes.write(`WEBP${kind}`, 8, 'latin1')
      fill(bytes)
      return bytes.toString('base64')
    }
    const extended = webp('VP8X', (bytes) => {
      bytes.writeUIntLE(99, 24, 3)
      bytes.writeUIntLE(49, 27, 3)
    })
    const lossy = webp('VP8 ', (bytes) => {
      bytes.writeUInt16LE(100, 26)
      bytes.writeUInt16LE(50, 28)
    })
    const lossless = webp('VP8L', (bytes) => bytes.writeUInt32LE((49 << 14) | 99, 21))
    for (const data of [extended, lossy, lossless]) expect(imageSize(data)).toMatchObject({ width: 100, height: 50 })
  })

  it('says 0 x 0 for what it does not know', () => {
    expect(imageSize(Buffer.from('hello').toString('base64'))).toEqual({ bytes: 5, width: 0, height: 0 })
    expect(imageSize('')).toEqual({ bytes: 0, width: 0, height: 0 })
  })
})

describe('base64Bytes', () => {
  it('knows the padding', () => {
    for (const text of ['', 'a', 'ab', 'abc', 'abcd']) {
      expect(base64Bytes(Buffer.from(text).toString('base64'))).toBe(text.length)
    }
  })
})
