/**
 * Repairs that only the request shows: pictures that the provider refuses (A53) become pointers, ids that repeat
 * over turns get new ones (A13), cache marks go where they are allowed (A57-A59). Ordinary legality edits, like every other repair.
 */
import type { Edit } from '../../core/edits.ts'
import { mostImagesOf } from '../../core/models.ts'
import { countOf, pointerTo } from '../../core/pointer.ts'
import { removedMedia } from '../../core/removed.ts'
import { estimateTokens } from '../../core/tokens.ts'
import {
  type Address,
  exchangesOf,
  type JsonObject,
  type JsonValue,
  type MediaPart,
  type Transcript,
} from '../../core/transcript.ts'
import { separatedResults } from '../array-format.ts'
import { type Fields, fieldsOf } from '../fields.ts'
import { checkRequest } from '../legality/index.ts'
import { type MarkChanges, markChanges } from './cache-marks.ts'

/** `messages.2.content.0` or, inside a result, `messages.2.content.0.content.1`. */
const IMAGE_PLACE = /^messages\.(\d+)\.content\.(\d+)(?:\.content\.(\d+))?\.image\b/

export function repairsOfMessages(request: JsonValue, transcript: Transcript): Edit[] {
  return [
    ...separatedResults(transcript, 'A16'),
    ...refusedImages(request, transcript),
    ...contentEdits(fieldsOf(request) ?? {}, transcript),
  ]
}

interface Image {
  readonly at: Address
  readonly part?: number
  readonly media: Omit<MediaPart, 'type'>
}

function refusedImages(request: JsonValue, transcript: Transcript): Edit[] {
  const tooLarge = new Set(
    checkRequest('anthropic-messages', request)
      .filter(({ rule, severity }) => rule === 'A53' && severity === 'reject')
      .map(({ at }) =>
        IMAGE_PLACE.exec(at ?? '')
          ?.slice(1)
          .join('/'),
      ),
  )
  const images = imagesOf(transcript)
  const refused = images.filter((image) => tooLarge.has(placeOf(image)))
  const others = images.filter((image) => !tooLarge.has(placeOf(image)))
  // The oldest leave: what is looked at now is the newest.
  const surplus = others.slice(0, Math.max(0, others.length - mostImagesOf(transcript.model)))
  return [
    ...refused.map((image) => pointerEdit(image, `an image of ${sizeOf(image)} is refused, and every request with it`)),
    ...surplus.map((image) => pointerEdit(image, 'a request may not have so many images: the oldest leave')),
  ]
}

function imagesOf(transcript: Transcript): Image[] {
  return transcript.messages.flatMap(({ blocks }) =>
    blocks.flatMap((block): Image[] => {
      if (block.type === 'image') return [{ at: block.at, media: block }]
      if (block.type !== 'result') return []
      return block.parts.flatMap((part, index): Image[] =>
        part.type === 'image' ? [{ at: block.at, part: index, media: part }] : [],
      )
    }),
  )
}

function placeOf({ at, part }: Image): string {
  return [at.entry, at.block, part ?? ''].join('/')
}

function sizeOf({ media }: Image): string {
  return `${media.width}x${media.height} pixels`
}

function pointerEdit({ at, part, media }: Image, reason: string): Edit {
  const removed = removedMedia(media, { at, rule: 'A53', class: 'restorable' })
  const size = `${media.mediaType}, ${media.width}x${media.height}, ${countOf(media.bytes, 'bytes')}`
  const text = pointerTo({ ref: removed.ref, tool: 'image', size })
  return {
    kind: 'replace-media',
    ...(part === undefined ? {} : { part }),
    at,
    rule: 'A53',
    reason,
    purpose: 'legality',
    class: 'restorable',
    frees: -estimateTokens(text),
    removed: [removed],
    text,
  }
}

const REASONS: Readonly<Record<string, string>> = {
  A13: 'an id that an earlier call has is renamed',
  A57: 'the oldest cache marks leave: a request has four',
  A58: 'a cache mark of an hour behind one of five minutes becomes one of five minutes',
  A59: 'a cache mark moves off a block that cannot carry it',
}

/** One edit a message, whatever its blocks need. */
function contentEdits(request: Fields, transcript: Transcript): Edit[] {
  const messages: readonly unknown[] = Array.isArray(request.messages) ? request.messages : []
  const names = newNames(transcript)
  const marks = markChanges(request)
  return messages.flatMap((message, entry): Edit[] => {
    const content = fieldsOf(message)?.content
    if (!Array.isArray(content)) return []
    const rules = new Set<string>()
    const value = content.map((part: JsonValue, index) => changed(part, `${entry}/${index}`, names, marks, rules))
    const [rule] = rules
    if (rule === undefined) return []
    const reason = [...rules].map((each) => REASONS[each]).join('; ')
    const facts = { rule, reason, purpose: 'legality', class: 'worthless', frees: 0, removed: [] } as const
    return [{ ...facts, kind: 'set-field', field: 'content', value, at: { thread: transcript.thread, entry } }]
  })
}

function changed(
  value: JsonValue,
  place: string,
  names: ReadonlyMap<string, string>,
  marks: MarkChanges,
  rules: Set<string>,
): JsonValue {
  const fields = fieldsOf(value) as JsonObject | undefined
  if (!fields) return value
  let part = fields
  const name = names.get(place)
  if (name !== undefined) {
    rules.add('A13')
    part = { ...part, [idKey(part)]: name }
  }
  const change = marks.get(place)
  if (change) {
    rules.add(change.rule)
    const { cache_control: _, ...rest } = part
    part = change.mark === undefined ? rest : { ...rest, cache_control: change.mark }
  }
  if (part.type !== 'tool_result' || !Array.isArray(part.content)) return part
  const inner = part.content.map((item: JsonValue, index) => changed(item, `${place}/${index}`, names, marks, rules))
  const isSame = inner.every((item, index) => item === (part.content as readonly JsonValue[])[index])
  return isSame ? part : { ...part, content: inner }
}

function idKey(part: JsonObject): string {
  return part.type === 'tool_result' ? 'tool_use_id' : 'id'
}

/** By place: new ids for answered calls whose id an earlier turn has, and for their results. */
function newNames(transcript: Transcript): Map<string, string> {
  const names = new Map<string, string>()
  const taken = new Set<string>()
  for (const { call, result } of exchangesOf(transcript)) {
    let name = call.id
    for (let round = 2; taken.has(name); round++) name = `${call.id}_${round}`
    taken.add(name)
    if (name === call.id || !result) continue
    for (const { at } of [call, result]) names.set(`${at.entry}/${at.block}`, name)
  }
  return names
}
