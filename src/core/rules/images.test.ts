import { describe, expect, it } from 'vitest'
import { assistant, exchange, spokenBy, transcriptOf, user } from '../../../test/support/transcripts.ts'
import { apply } from '../apply.ts'
import { referenceOf } from '../reference.ts'
import { images } from './images.ts'
import { DEFAULT_RULES } from './index.ts'

const context = { answerLast: false }
const data = Buffer.alloc(3000, 7)
const picture = { mediaType: 'image/png', bytes: 3000, width: 640, height: 480, data: data.toString('base64') }
const turns = (count: number) => Array.from({ length: count }, (_, index) => exchange(`n${index}`, 'ok')).flat()

describe('images', () => {
  it('an image leaves with its result: pointer with type, pixels and size', () => {
    const parts = [{ type: 'image' as const, ...picture }]
    const sketches = [user('task'), assistant({ call: 'a', tool: 'Shot' }), user({ result: 'a', parts }), ...turns(10)]
    const transcript = transcriptOf(sketches)
    const edits = images(transcript, DEFAULT_RULES.images, context)
    const ref = referenceOf(data)
    expect(spokenBy(apply(transcript, edits))[2]).toBe(
      `user: #a [spillway ${ref}: Shot image, image/png, 640x480, 3,000 bytes. Back: spillway recall ${ref}]`,
    )
    expect(edits[0]?.removed[0]).toMatchObject({ ref, mediaType: 'image/png' })
    expect(Buffer.compare(Buffer.from(edits[0]?.removed[0]?.content ?? ''), data)).toBe(0)
  })

  it('a person’s image leaves after 40 turns, not before', () => {
    const sketches = (count: number) =>
      transcriptOf([user('task'), user('see', { media: picture, type: 'image' }), ...turns(count)])
    expect(images(sketches(39), DEFAULT_RULES.images, context)).toEqual([])
    const edits = images(sketches(40), DEFAULT_RULES.images, context)
    expect(edits.map((edit) => [edit.kind, edit.at.entry, edit.at.block])).toEqual([['replace-media', 1, 1]])
  })

  it('an image that is only named (a URL, a file id) stays', () => {
    const named = { mediaType: 'image/png', bytes: 0, width: 0, height: 0 }
    const transcript = transcriptOf([user('task'), user({ media: named, type: 'image' }), ...turns(41)])
    expect(images(transcript, DEFAULT_RULES.images, context)).toEqual([])
  })
})
