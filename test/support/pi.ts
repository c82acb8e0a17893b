/** pi and OpenClaw sessions for tests: written by hand, or generated with everything that real ones have. */
import fc from 'fast-check'
import type { Edit, EditChange } from '../../src/core/edits.ts'
import type { Address, Block, Message, Transcript } from '../../src/core/transcript.ts'
import { exchangesOf } from '../../src/core/transcript.ts'
import type { ReadOptions, Session, SourceLine, Splice } from '../../src/formats/format.ts'
import { lineSplitter } from '../../src/formats/lines.ts'
import { pi } from '../../src/formats/pi/index.ts'

export type NativeEntry = Record<string, unknown>

function linesOf(bytes: Buffer): SourceLine[] {
  const splitter = lineSplitter()
  return [...splitter.push(bytes), ...splitter.finish()]
}

export function piBytes(entries: readonly (NativeEntry | string)[], end = '\n'): Buffer {
  return Buffer.from(entries.map((entry) => (typeof entry === 'string' ? entry : JSON.stringify(entry)) + end).join(''))
}

export function readPi(bytes: Buffer, options: ReadOptions = {}): Session {
  const reader = pi.reader(options)
  for (const line of linesOf(bytes)) reader.push(line)
  return reader.finish()
}

export function writePi(bytes: Buffer, edits: readonly Edit[]): { output: Buffer; splices: readonly Splice[] } {
  const writer = pi.writer(readPi(bytes), edits)
  const pieces = linesOf(bytes).flatMap((line) => writer.push(line))
  pieces.push(...writer.finish())
  return { output: Buffer.concat(pieces), splices: writer.splices }
}

/** Undoes the splices from the last to the first. */
export function restored(output: Buffer, splices: readonly Splice[]): Buffer {
  return splices.reduceRight(
    (bytes, { start, end, original }) => Buffer.concat([bytes.subarray(0, start), original, bytes.subarray(end)]),
    output,
  )
}

export function edit(at: Address, change: EditChange): Edit {
  return { rule: 'test', reason: 'test', purpose: 'legality', class: 'worthless', frees: 0, removed: [], at, ...change }
}

/** What `read(write(edits))` and `apply(read, edits)` must agree on: the words, not where they stand. */
export function words(transcript: Transcript): unknown[] {
  return transcript.messages.map(({ role, kind, blocks }) => [role, kind, blocks.map(wordsOfBlock)])
}

function wordsOfBlock(block: Block): unknown {
  switch (block.type) {
    case 'text':
    case 'thinking':
      return [block.type, block.text]
    case 'call':
      return ['call', block.id, block.tool, block.input]
    case 'result':
      return ['result', block.callId, block.parts, block.isError, block.invented]
    case 'opaque':
      return ['opaque', block.name, block.tokens]
    default:
      return [block.type, block.mediaType, block.data]
  }
}

export function header(version?: number, fields: NativeEntry = {}): NativeEntry {
  return {
    type: 'session',
    ...(version === undefined ? {} : { version }),
    id: '01a22b10-8b54-7496-a688-5292bba1f30e',
    timestamp: '2026-01-01T00:00:00.000Z',
    cwd: '/w',
    ...fields,
  }
}

/** A chain of entries with ids `e1`, `e2`, … (8 hex digits), each the child of the one before unless it says so. */
export function chain(entries: readonly NativeEntry[]): NativeEntry[] {
  return entries.map((entry, index) => ({
    id: idAt(index + 1),
    parentId: index === 0 ? null : idAt(index),
    timestamp: '2026-01-01T00:00:01.000Z',
    ...entry,
  }))
}

export function idAt(count: number): string {
  return `e${count.toString(16).padStart(7, '0')}`
}

export const user = (content: unknown): NativeEntry => ({
  type: 'message',
  message: { role: 'user', content, timestamp: 1 },
})

export const assistant = (content: unknown, fields: NativeEntry = {}): NativeEntry => ({
  type: 'message',
  message: {
    role: 'assistant',
    content,
    api: 'a',
    provider: 'p',
    model: 'm',
    usage: { input: 5, output: 3, cacheRead: 2, cacheWrite: 1, cost: { total: 0 } },
    stopReason: 'stop',
    timestamp: 2,
    ...fields,
  },
})

export const result = (toolCallId: string, text: string, fields: NativeEntry = {}): NativeEntry => ({
  type: 'message',
  message: {
    role: 'toolResult',
    toolCallId,
    toolName: 'bash',
    content: [{ type: 'text', text }],
    isError: false,
    timestamp: 3,
    ...fields,
  },
})

export const text = (words: string): NativeEntry => ({ type: 'text', text: words })
export const call = (id: string, args: NativeEntry = { command: 'ls' }): NativeEntry => ({
  type: 'toolCall',
  id,
  name: 'bash',
  arguments: args,
})

/** Every character that JSON may spell in more than one way, and numbers that JSON.parse would change. */
function quirky(entry: NativeEntry, quirk: number): string {
  let line = JSON.stringify(entry)
  if (quirk & 1) line = line.replaceAll('/', '\\/')
  if (quirk & 2) line = line.replaceAll('\u00e9', '\\u00e9')
  if (quirk & 4) line = line.replace(/\}$/, ', "odd" : 1.0,"big":9007199254740993,"odd":[1.50,{"a":1,"a":2}]}')
  if (quirk & 8) line = line.replace('"parentId":', '"\\u0070arentId" :  ')
  return line
}

/** Numbers to decide by, from one array: so that counterexamples shrink. */
type Choose = (below: number) => number

function chooser(numbers: readonly number[]): Choose {
  let at = 0
  return (below) => {
    const number = numbers[at++ % Math.max(1, numbers.length)] ?? 0
    return (number + at * 7) % below
  }
}

const PNG = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='

/** Grows a legal session of `size` steps; returns its lines. */
function grow(version: number | undefined, size: number, choose: Choose): string[] {
  const linear = version === undefined || version < 2
  const entries: NativeEntry[] = []
  let leaf: string | null = null
  let path: { id: string; entry: NativeEntry }[] = []
  let calls = 0
  let count = 0
  const add = (fields: NativeEntry): void => {
    const id = idAt(++count)
    const entry = { ...fields, ...(linear ? {} : { id, parentId: leaf }), timestamp: '2026-01-01T00:00:01.000Z' }
    entries.push(entry)
    leaf = id
    path.push({ id, entry })
  }
  const say = (what: string): string =>
    `${what} ${'caf\u00e9/ '.repeat(choose(3))}${'long '.repeat(choose(3) * 60)}${count}`
  const turn = (): void => {
    const stop = ['stop', 'stop', 'stop', 'error', 'aborted'][choose(5)] ?? 'stop'
    const skipped = stop !== 'stop'
    const blocks: NativeEntry[] = []
    if (choose(3) === 0) blocks.push({ type: 'thinking', thinking: say('hm'), thinkingSignature: 'sig' })
    if (choose(3) !== 0) blocks.push(text(say('says')), ...(choose(6) === 0 ? [text('\n\n')] : []))
    const ids = Array.from({ length: choose(4) }, () => `call_${++calls}`)
    blocks.push(...ids.map((id) => call(id, { command: say('run'), nested: { list: [say('x'), 1] } })))
    add(assistant(skipped && choose(2) === 0 ? [] : blocks, { stopReason: stop }))
    if (skipped) return
    for (const id of ids) {
      if (choose(8) === 0) continue
      if (!linear && choose(5) === 0) add({ type: 'custom', customType: 'x', data: {} })
      const image = choose(4) === 0 ? [{ type: 'image', data: PNG, mimeType: 'image/png' }] : []
      const details = choose(2) === 0 ? { details: { a: { b: 'd'.repeat(500), n: 1 }, s: 'short' } } : {}
      add(result(id, '', { content: [text(say('out')), ...image], isError: choose(3) === 0, ...details }))
    }
  }
  add(user('task'))
  for (let step = 0; step < size; step++) {
    switch (choose(linear ? 4 : 14)) {
      case 0:
        add(
          user(
            choose(2) === 0 ? say('asks') : [text(say('asks')), { type: 'image', data: PNG, mimeType: 'image/png' }],
          ),
        )
        break
      case 1:
      case 2:
      case 3:
      case 4:
      case 5:
        turn()
        break
      case 6:
        add({ type: 'custom', customType: 'state', data: { big: 1 } })
        break
      case 7:
        add({ type: 'label', targetId: path[choose(path.length)]?.id, label: 'here' })
        break
      case 8:
        add({ type: 'custom_message', customType: 'note', content: choose(2) ? 'note' : [text('note')], display: true })
        break
      case 9: {
        const back = choose(path.length)
        path = path.slice(0, back + 1)
        const from = leaf
        leaf = path[back]?.id ?? null
        if (choose(2) === 0) add({ type: 'branch_summary', fromId: from, summary: 'went another way' })
        else add(user('again'))
        break
      }
      case 10: {
        const kept = path.slice(choose(path.length)).find(({ entry }) => roleOf(entry) !== 'toolResult')
        const sound = kept && !opensWithResult(path, kept.id)
        if (sound) add({ type: 'compaction', summary: 'so far', firstKeptEntryId: kept.id, tokensBefore: 9 })
        break
      }
      case 11: {
        const target = path[choose(path.length)]
        if (target && roleOf(target.entry) === 'user') {
          add({
            type: 'context_edit',
            targetId: target.id,
            replacement: { content: choose(2) ? 'shorter' : [text('shorter')] },
          })
        }
        break
      }
      case 12:
        add({ type: 'usage', anything: [1, { deep: true }] })
        break
      default:
        if (version === 4) {
          const target = path[choose(path.length)]
          entries.push({ type: 'leaf', id: idAt(++count), parentId: leaf, targetId: target?.id })
          path = path.slice(0, path.findIndex(({ id }) => id === target?.id) + 1)
          leaf = target?.id ?? null
        } else add(user('go on'))
    }
  }
  return [header(version), ...entries].map((entry) => quirky(entry, choose(16)))
}

function roleOf(entry: NativeEntry): unknown {
  return (entry.message as NativeEntry | undefined)?.role
}

/** Would the first message of the kept tail be a result? */
function opensWithResult(path: readonly { id: string; entry: NativeEntry }[], id: string): boolean {
  const tail = path.slice(path.findIndex((step) => step.id === id))
  const first = tail.find(({ entry }) => entry.type === 'message' || entry.type === 'custom_message')
  return first !== undefined && roleOf(first.entry) === 'toolResult'
}

/** Legal session files of every version, with branches, compactions, context edits, and any spelling of JSON. */
export const piFiles: fc.Arbitrary<string> = fc
  .record({
    version: fc.constantFrom(undefined, 2, 3, 3, 4),
    size: fc.nat(25),
    numbers: fc.array(fc.nat(10_000), { minLength: 5, maxLength: 40 }),
    end: fc.constantFrom('\n', '\n', '\r\n'),
    ended: fc.boolean(),
    bom: fc.boolean(),
  })
  .map(({ version, size, numbers, end, ended, bom }) => {
    const lines = grow(version, size, chooser(numbers))
    return (bom ? '\ufeff' : '') + lines.join(end) + (ended ? end : '')
  })

/** Some edits for this transcript, at most one an address and of every kind. */
export function someEdits(transcript: Transcript, numbers: readonly number[]): Edit[] {
  const choose = chooser(numbers)
  const edits: Edit[] = []
  const paired = new Set<Block>()
  for (const { call: asked, result: answer } of exchangesOf(transcript)) {
    const at = asked.at
    if (answer) {
      paired.add(answer)
      if (choose(6) === 0) edits.push(edit(at, { kind: 'drop-exchange', result: answer.at }))
      else if (choose(5) === 0) edits.push(edit(at, { kind: 'fold-exchange', text: '[call x]', result: answer.at }))
      else if (choose(4) === 0)
        edits.push(edit(answer.at, { kind: 'replace-result', text: '[spillway note]', isError: choose(2) === 0 }))
      else if (choose(3) === 0) {
        const part = answer.parts.findIndex((each) => each.type === 'image')
        if (part >= 0) edits.push(edit(answer.at, { kind: 'replace-media', text: 'gone', part }))
      }
    } else if (choose(2) === 0) {
      edits.push(edit(at, { kind: 'answer-call', callId: asked.id, text: 'no answer', isError: choose(2) === 0 }))
    }
    const long = asked.longArguments
    if (long.length > 0 && choose(3) === 0 && !edits.some((each) => each.at === at)) {
      edits.push(edit(at, { kind: 'replace-arguments', values: long.map(({ path }) => ({ path, text: 'short' })) }))
    }
  }
  for (const message of transcript.messages) {
    const entry = message.entries[0] ?? 0
    const at = { thread: transcript.thread, entry }
    if (message.kind === 'api-error' || message.blocks.some((block) => block.type === 'result')) {
      if (message.kind === 'api-error' && choose(2) === 0)
        edits.push(edit(at, { kind: 'drop-message', entries: [entry] }))
      continue
    }
    edits.push(...messageEdits(message, at, choose, edits, message === transcript.messages[0]))
  }
  const movable = transcript.messages.filter(
    (message, index) => index > 0 && message.kind !== 'compaction-summary' && !hasCalls(message),
  )
  for (let count = choose(3); count > 0 && movable.length > 1; count--) {
    const from = movable[choose(movable.length)]
    const to = transcript.messages[choose(transcript.messages.length)]
    const entry = from?.entries[0] ?? 0
    const after = to?.entries[0] ?? 0
    const isFree = edits.every((each) => each.at.entry !== entry && each.at.entry !== after)
    if (from !== to && isFree) edits.push(edit({ thread: transcript.thread, entry }, { kind: 'move', after }))
  }
  return edits
}

function hasCalls(message: Message): boolean {
  return message.blocks.some((block) => block.type === 'call' || block.type === 'result')
}

function messageEdits(
  message: Message,
  at: Address,
  choose: Choose,
  before: readonly Edit[],
  isFirst: boolean,
): Edit[] {
  const isFree = !before.some((each) => each.at.entry === at.entry)
  // The task and a summary never leave.
  const stays = message.kind === 'compaction-summary' || isFirst
  if (isFree && !stays && choose(12) === 0 && message.blocks.every((block) => block.type !== 'call')) {
    return [edit(at, { kind: 'drop-message', entries: message.entries })]
  }
  const edits: Edit[] = []
  if (choose(15) === 0)
    edits.push(edit(at, { kind: 'insert-message', role: choose(2) === 0 ? 'user' : 'assistant', text: 'between' }))
  if (isFree && choose(5) === 0 && message.blocks.some((block) => block.type === 'thinking')) {
    return [...edits, edit(at, { kind: 'strip-thinking' })]
  }
  if (isFree && choose(6) === 0 && message.blocks.length > 1) {
    const order = message.blocks.map((block) => block.at.block ?? 0).reverse()
    return [...edits, edit(at, { kind: 'reorder', order })]
  }
  for (const block of message.blocks) {
    if (block.type === 'image' && choose(3) === 0) edits.push(edit(block.at, { kind: 'replace-media', text: 'gone' }))
    if (block.type === 'text' && choose(8) === 0)
      edits.push(edit(block.at, { kind: 'replace-text', text: 'reworded \u00e9' }))
    else if (block.type === 'text' && !stays && choose(12) === 0) edits.push(edit(block.at, { kind: 'drop-block' }))
  }
  return edits
}
