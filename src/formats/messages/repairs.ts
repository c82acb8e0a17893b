/**
 * Repairs that only the request shows: pictures that the provider refuses (A53) become pointers, ids that repeat
 * over turns get new ones (A13), the oldest cache marks beyond the fourth leave (A57). Ordinary legality edits, like every other repair.
 */
import type { Edit } from '../../core/edits.ts'
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
import { type Fields, fieldsOf } from '../fields.ts'
import { checkRequest } from '../legality/index.ts'

const MOST_MARKS = 4
/** `messages.2.content.0` or, inside a result, `messages.2.content.0.content.1`. */
const IMAGE_PLACE = /^messages\.(\d+)\.content\.(\d+)(?:\.content\.(\d+))?\.image\b/

export function repairsOfMessages(request: JsonValue, transcript: Transcript): Edit[] {
  return [...refusedImages(request, transcript), ...contentEdits(fieldsOf(request) ?? {}, transcript)]
}

interface Refused {
  readonly at: Address
  readonly part?: number
  readonly media: Omit<MediaPart, 'type'>
}

function refusedImages(request: JsonValue, transcript: Transcript): Edit[] {
  const blocks = new Map(
    transcript.messages.flatMap(({ blocks }) => blocks.map((block) => [`${block.at.entry}/${block.at.block}`, block])),
  )
  const places = checkRequest('anthropic-messages', request)
    .filter(({ rule, severity }) => rule === 'A53' && severity === 'reject')
    .map(({ at }) => IMAGE_PLACE.exec(at ?? ''))
  return places.flatMap((place): Edit[] => {
    const [, entry, index, inner] = place ?? []
    const block = blocks.get(`${entry}/${index}`)
    if (block?.type === 'image') return [pointerEdit({ at: block.at, media: block })]
    const part = block?.type === 'result' ? block.parts[Number(inner)] : undefined
    return block && part?.type === 'image' ? [pointerEdit({ at: block.at, part: Number(inner), media: part })] : []
  })
}

function pointerEdit({ at, part, media }: Refused): Edit {
  const removed = removedMedia(media, { at, rule: 'A53', class: 'restorable' })
  const size = `${media.mediaType}, ${media.width}x${media.height}, ${countOf(media.bytes, 'bytes')}`
  const text = pointerTo({ ref: removed.ref, tool: 'image', size })
  return {
    kind: 'replace-media',
    ...(part === undefined ? {} : { part }),
    at,
    rule: 'A53',
    reason: `an image of ${media.width}x${media.height} pixels is refused, and every request with it`,
    purpose: 'legality',
    class: 'restorable',
    frees: -estimateTokens(text),
    removed: [removed],
    text,
  }
}

function marksIn(value: unknown): number {
  const parts: readonly unknown[] = Array.isArray(value) ? value : []
  return parts.filter((part) => fieldsOf(fieldsOf(part)?.cache_control)).length
}

/** One edit a message, whatever its blocks need. */
function contentEdits(request: Fields, transcript: Transcript): Edit[] {
  const messages: readonly unknown[] = Array.isArray(request.messages) ? request.messages : []
  const contents = messages.map((message) => fieldsOf(message)?.content)
  const names = newNames(transcript)
  const surplus = surplusMarks(request, contents)
  return contents.flatMap((content, entry): Edit[] => {
    if (!Array.isArray(content)) return []
    const rules: string[] = []
    const value = content.map((part: JsonObject, index): JsonValue => {
      const { cache_control: _, ...unmarked } = part ?? {}
      const isSurplus = surplus.has(`${entry}/${index}`)
      const name = names.get(`${entry}/${index}`)
      if (isSurplus) rules.push('A57')
      if (name !== undefined) rules.push('A13')
      if (!isSurplus && name === undefined) return part
      return { ...(isSurplus ? unmarked : part), ...(name === undefined ? {} : { [idKey(part)]: name }) }
    })
    const [rule] = rules
    if (rule === undefined) return []
    const reason = rule === 'A13' ? 'an id that an earlier call has is renamed' : 'the oldest cache marks leave'
    const facts = { rule, reason, purpose: 'legality', class: 'worthless', frees: 0, removed: [] } as const
    return [{ ...facts, kind: 'set-field', field: 'content', value, at: { thread: transcript.thread, entry } }]
  })
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

/** By place: marks beyond the fourth, oldest first. The newest are the ones that the next request reads from. */
function surplusMarks(request: Fields, contents: readonly unknown[]): Set<string> {
  const others = marksIn(request.system) + marksIn(request.tools) + (fieldsOf(request.cache_control) ? 1 : 0)
  const places = contents.flatMap((content, entry) => {
    if (!Array.isArray(content)) return []
    return content.flatMap((part: unknown, index) => (marksIn([part]) > 0 ? [`${entry}/${index}`] : []))
  })
  return new Set(places.slice(0, Math.max(0, others + places.length - MOST_MARKS)))
}
