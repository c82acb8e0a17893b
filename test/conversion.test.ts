/** Converting there and back loses nothing that both formats can hold, and says what it loses on the way. */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { callBlock, mediaBlock, resultBlock, textBlock } from '../src/core/blocks.ts'
import { check } from '../src/core/legality/index.ts'
import type { JsonValue, Message, ResultPart, Transcript } from '../src/core/transcript.ts'
import { aiSdk, aiSdkUi } from '../src/formats/ai-sdk/index.ts'
import type { ArrayFormat, ArrayReading } from '../src/formats/array-format.ts'
import { chat } from '../src/formats/chat/index.ts'
import { convert, type TargetFormat } from '../src/formats/conversion/index.ts'
import { messages } from '../src/formats/messages/index.ts'
import { responses } from '../src/formats/responses/index.ts'
import {
  asChat,
  asMessages,
  asModelMessages,
  asResponses,
  asUiMessages,
  healthy,
  type WrittenAs,
} from './support/generated-requests.ts'
import { assistant, transcriptOf, user } from './support/transcripts.ts'

interface Side {
  readonly name: TargetFormat
  readonly format: ArrayFormat
  readonly written: WrittenAs
  /** Which things the format has a place for; read off its documentation, not off the code. */
  readonly holds: {
    readonly thinking: boolean
    readonly flags: boolean
    readonly resultMedia: boolean
    readonly parts: boolean
  }
}

const SIDES: readonly Side[] = [
  {
    name: 'messages',
    format: messages,
    written: asMessages,
    holds: { thinking: false, flags: true, resultMedia: true, parts: true },
  },
  {
    name: 'chat',
    format: chat,
    written: asChat,
    holds: { thinking: false, flags: false, resultMedia: false, parts: true },
  },
  {
    name: 'responses',
    format: responses,
    written: (told) => asResponses(told),
    holds: { thinking: false, flags: false, resultMedia: true, parts: true },
  },
  {
    name: 'ai-sdk',
    format: aiSdk,
    written: asModelMessages,
    holds: { thinking: true, flags: true, resultMedia: true, parts: true },
  },
  {
    name: 'ai-sdk-ui',
    format: aiSdkUi,
    written: asUiMessages,
    holds: { thinking: true, flags: true, resultMedia: false, parts: false },
  },
]

const PAIRS = SIDES.flatMap((from) => SIDES.filter((to) => to !== from).map((to) => [from, to] as const))

/** Words in their order, as far as a format with these places says them. */
function lines({ transcript, system }: Pick<ArrayReading, 'transcript' | 'system'>, holds: Side['holds']): string[] {
  const spoken = transcript.messages.flatMap(({ role, blocks }) =>
    blocks.flatMap((block): string[] => {
      switch (block.type) {
        case 'text':
          return block.text.trim() === '' ? [] : [`${role}: ${block.text}`]
        case 'thinking':
          return holds.thinking && block.text !== '' ? [`thinking: ${block.text}`] : []
        case 'call':
          return [`call ${block.id}: ${block.tool} ${JSON.stringify(block.input)}`]
        case 'result': {
          const flag = holds.flags && block.isError ? ' failed' : ''
          const own = block.parts.flatMap((part) => {
            if (part.type === 'text') return [part.text]
            return holds.resultMedia && part.type === 'image' ? [`<${part.mediaType} ${part.data}>`] : []
          })
          return [`result ${block.callId}${flag}: ${holds.parts ? JSON.stringify(own) : own.join('\n')}`]
        }
        case 'opaque':
          return []
        default:
          return [`${role}: <${block.mediaType} ${block.data ?? block.url}>`]
      }
    }),
  )
  return [...system.map((text) => `system: ${text}`), ...spoken]
}

function both(from: Side, to: Side): Side['holds'] {
  return {
    thinking: from.holds.thinking && to.holds.thinking,
    flags: from.holds.flags && to.holds.flags,
    resultMedia: from.holds.resultMedia && to.holds.resultMedia,
    parts: from.holds.parts && to.holds.parts,
  }
}

/** Where a picture cannot stay inside a result its place is named in words. */
const withoutNames = (line: string): string => line.replaceAll(',"[image]"', '').replaceAll('\n[image]', '')

describe.each(PAIRS.map(([from, to]) => [from.name, to.name, from, to] as const))('%s to %s', (_, __, from, to) => {
  it('and back loses nothing that both can hold', () => {
    fc.assert(
      fc.property(healthy, (told) => {
        const start = from.format.read(from.written(told))
        const there = convert(start.transcript, to.name, start.system)
        expect(to.format.detect(there.value)).toBe(true)
        const middle = to.format.read(there.value)
        expect(check(middle.transcript, { at: 'request' })).toEqual([])
        const back = from.format.read(convert(middle.transcript, from.name, middle.system).value)
        const holds = both(from, to)
        const said = (reading: ArrayReading): string[] => lines(reading, holds).map(withoutNames)
        expect(sorted(from, to, said(back))).toEqual(sorted(from, to, said(start)))
      }),
      { numRuns: Number(process.env.SPILLWAY_PROPERTY_RUNS ?? 150) },
    )
  })

  it('reports every block that does not arrive', () => {
    fc.assert(
      fc.property(healthy, (told) => {
        const start = from.format.read(from.written(told))
        const { value, unheld } = convert(start.transcript, to.name, start.system)
        const arrived = new Set(lines(to.format.read(value), ALL).map(withoutNames))
        const reported = new Set(unheld.map(({ at }) => `${at.entry}/${at.block}`))
        for (const message of start.transcript.messages) {
          for (const block of message.blocks) {
            const own = lines(
              { transcript: { ...start.transcript, messages: [{ ...message, blocks: [block] }] }, system: [] },
              ALL,
            )
            const isThere = own.length > 0 && own.every((line) => arrived.has(line))
            const isSilent = block.type === 'text' && block.text.trim() === ''
            if (!isThere && !isSilent) expect(reported.has(`${block.at.entry}/${block.at.block}`)).toBe(true)
          }
        }
      }),
      { numRuns: 100 },
    )
  })
})

const ALL = { thinking: true, flags: true, resultMedia: true, parts: true }

/** A UIMessage keeps results with their calls, Chat the words before the calls: there the order inside a turn differs. */
function sorted(from: Side, to: Side, said: string[]): string[] {
  return from.name.startsWith('ai-sdk-ui') || to.name === 'ai-sdk-ui' ? said.sort() : said
}

const at = { thread: 'main', entry: 0, block: 0 }

function one(message: Partial<Message>): Transcript {
  return { ...transcriptOf([]), messages: [{ role: 'user', entries: [0], blocks: [], ...message }] }
}

function exchange(id: string, parts: readonly ResultPart[], isError = false): Transcript {
  const call = callBlock(at, { id, tool: 'Bash', input: { command: 'ls' } })
  const facts = { callId: id, parts, shape: 'array' as const, isError, invented: false }
  return {
    ...transcriptOf([]),
    messages: [
      { role: 'assistant', entries: [0], blocks: [call] },
      { role: 'user', entries: [1], blocks: [resultBlock({ ...at, entry: 1 }, facts)] },
    ],
  }
}

describe('what does not fit', () => {
  const request = (value: JsonValue) => value as Record<string, JsonValue[]>

  it('ids that the target refuses are renamed on both sides alike', () => {
    const { value } = convert(exchange('Bash:12', [{ type: 'text', text: 'x' }]), 'messages')
    const [asked, answered] = messages.read(value).transcript.messages.flatMap(({ blocks }) => blocks)
    expect(asked).toMatchObject({ type: 'call', id: expect.stringMatching(/^call_[0-9a-f]{24}$/) })
    expect(answered).toMatchObject({ type: 'result', callId: asked?.type === 'call' ? asked.id : '' })
    expect(convert(exchange('Bash:12', []), 'messages')).toEqual(convert(exchange('Bash:12', []), 'messages'))
  })

  it('ids that repeat over a session stay apart', () => {
    const twice = transcriptOf([
      user('q'),
      assistant({ call: 'a' }),
      user({ result: 'a', text: 'one' }),
      assistant({ call: 'a' }),
      user({ result: 'a', text: 'two' }),
    ])
    const { transcript } = messages.read(convert(twice, 'messages').value)
    const ids = transcript.messages.flatMap(({ blocks }) =>
      blocks.flatMap((block) => (block.type === 'call' ? [block.id] : [])),
    )
    expect(new Set(ids).size).toBe(2)
    expect(check(transcript, { at: 'request' })).toEqual([])
  })

  it.each<[string, TargetFormat, Transcript]>([
    ['error flag', 'chat', exchange('a', [{ type: 'text', text: 'x' }], true)],
    ['error flag', 'responses', exchange('a', [{ type: 'text', text: 'x' }], true)],
    [
      'picture',
      'chat',
      exchange('a', [{ type: 'image', mediaType: 'image/png', bytes: 3, width: 1, height: 1, data: 'AAAA' }]),
    ],
    [
      'borders between the parts',
      'ai-sdk-ui',
      exchange('a', [
        { type: 'text', text: 'x' },
        { type: 'text', text: 'y' },
      ]),
    ],
    ['only the format it comes from', 'chat', exchange('a', [{ type: 'opaque', name: 'odd', json: '{}' }])],
    ['API error', 'chat', one({ role: 'assistant', kind: 'api-error', blocks: [textBlock(at, 'overloaded')] })],
    [
      'words behind a call',
      'chat',
      one({ role: 'assistant', blocks: [callBlock(at, { id: 'a', tool: 'b', input: {} }), textBlock(at, 'x')] }),
    ],
    ['role that cannot hold it', 'messages', one({ blocks: [callBlock(at, { id: 'a', tool: 'b', input: {} })] })],
  ])('%s: reported for %s', (words, to, transcript) => {
    expect(convert(transcript, to).unheld.map(({ what }) => what)).toEqual([expect.stringContaining(words)])
  })

  it('a picture named by its place keeps it', () => {
    const picture = mediaBlock(at, {
      type: 'image',
      mediaType: 'image/png',
      bytes: 0,
      width: 0,
      height: 0,
      url: 'https://x/y.png',
    })
    for (const { name, format } of SIDES) {
      const { value, unheld } = convert(one({ blocks: [picture] }), name)
      expect(unheld).toEqual([])
      expect(format.read(value).transcript.messages[0]?.blocks[0]).toMatchObject({
        type: 'image',
        url: 'https://x/y.png',
      })
    }
  })

  it('the system prompt goes where the target keeps it', () => {
    const told = transcriptOf([{ role: 'system', blocks: ['Be brief.'] }, user('q')])
    expect(request(convert(told, 'messages').value).system).toEqual([{ type: 'text', text: 'Be brief.' }])
    expect(request(convert(told, 'responses').value).instructions).toBe('Be brief.')
    expect(request(convert(told, 'chat').value).messages?.[0]).toEqual({ role: 'system', content: 'Be brief.' })
  })
})
