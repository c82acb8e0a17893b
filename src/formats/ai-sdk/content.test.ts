import { describe, expect, it } from 'vitest'
import { mediaOf } from './content.ts'

const PNG = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='

describe('media of the AI SDK', () => {
  const bytes = Buffer.from(PNG, 'base64')
  it.each([
    ['base64', PNG],
    ['a Buffer', bytes],
    ['bytes inside a larger buffer', new Uint8Array([1, ...bytes, 2]).subarray(1, bytes.length + 1)],
    ['an ArrayBuffer', new Uint8Array(bytes).buffer],
    ['a data URL', `data:image/png;base64,${PNG}`],
  ])('are measured alike as %s', (_, data) => {
    const expected = { type: 'image', mediaType: 'image/png', width: 1, height: 1, bytes: bytes.length, data: PNG }
    expect(mediaOf({ type: 'file', mediaType: 'image/png', data })).toEqual(expected)
    expect(mediaOf({ type: 'image', mediaType: 'image/png', image: data })).toEqual(expected)
  })

  it('may be named by a URL object', () => {
    const media = mediaOf({ type: 'file', mediaType: 'image/png', data: new URL('https://a.example/x.png') })
    expect(media).toMatchObject({ type: 'image', url: 'https://a.example/x.png' })
  })
})
