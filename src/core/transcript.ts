/**
 * The neutral view of one thread's recorded conversation (DESIGN section 2).
 *
 * A format fills it; rules, plan, `apply` and `check` know nothing else. Everything here is plain data, so a
 * transcript can be printed, compared and generated. Texts may be absent (`sizesOnly`): analysis of very large
 * files keeps the measures and lets the words go, therefore rules decide on `chars` and `tokens`, never on
 * `text.length`. Readers build blocks with the factories of core/blocks, which measure them.
 */

export type JsonValue = null | boolean | number | string | readonly JsonValue[] | JsonObject
export interface JsonObject {
  readonly [key: string]: JsonValue
}

/** Where something stands: the thread, the ordinal of the entry in its source (from 0), the block inside that entry. */
export interface Address {
  readonly thread: string
  readonly entry: number
  readonly block?: number
}

/** `tokens` is the uncalibrated estimate of core/tokens, made once when the block is read. */
interface Measured {
  readonly at: Address
  readonly chars: number
  readonly tokens: number
}

export interface TextBlock extends Measured {
  readonly type: 'text'
  readonly text: string
}

/** `signed`: carries a provider signature, so it may only be kept verbatim or removed whole (A30). */
export interface ThinkingBlock extends Measured {
  readonly type: 'thinking'
  readonly text: string
  readonly redacted: boolean
  readonly signed: boolean
}

/** A client tool call. `input` is `{}` when the recording holds no object (the fault is reported by `check`, A19). */
export interface CallBlock extends Measured {
  readonly type: 'call'
  readonly id: string
  readonly tool: string
  readonly input: JsonObject
  /** Strings over ARGUMENT_CHARS inside `input`, with their measures: known even where texts were let go. */
  readonly longArguments: readonly LongArgument[]
}

export interface LongArgument {
  readonly path: readonly (string | number)[]
  readonly chars: number
  readonly tokens: number
}

export type ResultPart =
  | { readonly type: 'text'; readonly text: string }
  | MediaPart
  | { readonly type: 'opaque'; readonly name: string; readonly json: string }

/** An image or document inside a message or a result; `bytes` is the decoded size, pixels are 0 when unknown. */
export interface MediaPart {
  readonly type: 'image' | 'document'
  readonly mediaType: string
  readonly bytes: number
  readonly width: number
  readonly height: number
  /** base64 as recorded; absent for a URL, a file id, or in a sizes-only reading. */
  readonly data?: string
  /** Where it lies, when the recording only names the place. */
  readonly url?: string
}

/**
 * Who refused a call (issue "denials by structure"): a person's refusal stays, a machine's may go; `stopped` was
 * interrupted while it ran, so it may hold partial output.
 */
export type Denial = 'person' | 'machine' | 'stopped'

/** What a recording itself says about delegated work, beside its words. */
export interface TaskMark {
  /** Child session key, run id, agent id, call id. */
  readonly ids: readonly string[]
  readonly status?: 'launched' | 'refused' | 'running' | 'completed' | 'failed' | 'timed-out'
  /** What the worker used, as the harness counted. */
  readonly tokens?: number
  readonly durationMs?: number
}

/**
 * `shape` is how the recording spells the body, so that a writer can keep it: a string, an array of parts, or
 * nothing at all. `raw` is the JSON slice of the body where it is more than one text (what its reference is over).
 */
export interface ResultBlock extends Measured {
  readonly type: 'result'
  readonly callId: string
  readonly parts: readonly ResultPart[]
  readonly shape: 'string' | 'array' | 'absent'
  readonly raw?: string
  readonly isError: boolean
  readonly denied?: Denial
  /** For a stopped call: what it had put out before the harness's own words; '' when nothing. */
  readonly partial?: string
  /** The body already is a Spillway pointer or note, or the harness's own pointer to a persisted output. */
  readonly spilled: boolean
  /** The answer was made up by a repair (ours or the harness's): it never counts in a window. */
  readonly invented: boolean
  /** Of a call that delegates: what became of it. */
  readonly task?: TaskMark
}

export interface MediaBlock extends Measured, Omit<MediaPart, 'type'> {
  readonly type: 'image' | 'document'
}

/** A block this version does not know (server tools, citations, …): carried verbatim, never edited. */
export interface OpaqueBlock extends Measured {
  readonly type: 'opaque'
  readonly name: string
}

export type Block = TextBlock | ThinkingBlock | CallBlock | ResultBlock | MediaBlock | OpaqueBlock

export type Role = 'user' | 'assistant' | 'system'

/** Neutral facts that a format fills and rules need. */
export type MessageKind = 'compaction-summary' | 'api-error' | 'interrupt' | 'reminder' | 'task-event' | 'meta'

/** Recorded usage of the request that produced an assistant message, in tokens. */
export interface Usage {
  readonly input: number
  readonly cacheRead: number
  readonly cacheWrite: number
  readonly output: number
}

/** One message as it would be sent. Several entries may form one (Claude Code writes a line per block). */
export interface Message {
  readonly role: Role
  readonly blocks: readonly Block[]
  /** Ordinals of the entries that form it, in order; an inserted message has one negative ordinal. */
  readonly entries: readonly number[]
  readonly kind?: MessageKind
  /** The provider's message id. */
  readonly id?: string
  readonly model?: string
  readonly usage?: Usage
  /** Milliseconds since the epoch. */
  readonly time?: number
  /** Id of the call that a reminder is about (a hook's words): it leaves with its call. */
  readonly about?: string
  /** Of an announcement, or of the answer to one that was not recorded: which task it is about. */
  readonly task?: TaskMark
}

/** One entry of the source and what it refers to; entries without key are no chain links. */
export interface Link {
  readonly entry: number
  /** The entry's uuid or id. */
  readonly key?: string | undefined
  /** Key of the parent, null for a root, undefined where the entry has no such field. */
  readonly parent?: string | null | undefined
  /** The thread the entry belongs to. */
  readonly thread: string
  /** 1-based line in the source. */
  readonly line: number
}

/** Names of tools, per format: files read whole (`reads`), shells (`shells`). */
export interface ToolNames {
  readonly reads: ReadonlySet<string>
  readonly shells: ReadonlySet<string>
}

export interface Transcript {
  readonly thread: string
  readonly format: string
  /** The model of the newest real assistant message. */
  readonly model?: string
  /** The active branch: what would be sent now, in order. */
  readonly messages: readonly Message[]
  /** Every entry of the source in file order, also those outside the active branch. */
  readonly links: readonly Link[]
  readonly tools: ToolNames
  /** Texts and data were dropped while reading; such a transcript can be measured, not written. */
  readonly sizesOnly?: true
}

/** One call with its result; `result` is undefined while the call is unanswered. */
export interface Exchange {
  readonly call: CallBlock
  readonly result: ResultBlock | undefined
  /** Index of the assistant message in `messages`. */
  readonly message: number
  /** Index of the message that holds the result. */
  readonly resultMessage: number | undefined
  /** Index of the turn (0 = oldest). */
  readonly turn: number
}

/** One model request's answer: the assistant message(s) of one turn and the messages that follow until the next. */
export interface Turn {
  /** Index of the first assistant message. */
  readonly start: number
  /** Index after the last message of the turn. */
  readonly end: number
}

/** A string key for maps and sets; not persisted (see `persistentKey` in edits.ts). */
export function addressKey(at: Address): string {
  return at.block === undefined ? `${at.thread}/${at.entry}` : `${at.thread}/${at.entry}/${at.block}`
}

/** Reminders are transparent to turns: the API treats them as part of the turn they stand in (A02, A16). */
function opensTurn(message: Message): boolean {
  return message.role === 'assistant' && message.kind !== 'api-error'
}

/**
 * Turns in order (DESIGN: one model request). Assistant messages that follow each other directly are one turn
 * only when they share the provider's id; without ids each is a turn of its own.
 */
export function turnsOf(transcript: Transcript): readonly Turn[] {
  return remembered(knownTurns, transcript, findTurns)
}

function findTurns(transcript: Transcript): Turn[] {
  const turns: { start: number; end: number }[] = []
  transcript.messages.forEach((message, index) => {
    const last = turns.at(-1)
    if (!opensTurn(message)) {
      if (last) last.end = index + 1
      return
    }
    const previous = last && transcript.messages[last.start]
    const continues = last && message.id !== undefined && previous?.id === message.id && last.end === index
    if (continues) last.end = index + 1
    else turns.push({ start: index, end: index + 1 })
  })
  return turns
}

/**
 * Every call with its answer, paired inside the turn only: ids repeat over a session (DESIGN, Identity).
 * The first result with the call's id wins; orphans and duplicates appear in no exchange.
 */
export function exchangesOf(transcript: Transcript): readonly Exchange[] {
  return remembered(knownExchanges, transcript, findExchanges)
}

/** Every rule and check asks for these of the same transcript, which never changes once it is made. */
const knownTurns = new WeakMap<Transcript, readonly Turn[]>()
const knownExchanges = new WeakMap<Transcript, readonly Exchange[]>()

function remembered<Found>(
  known: WeakMap<Transcript, Found>,
  transcript: Transcript,
  find: (transcript: Transcript) => Found,
): Found {
  const earlier = known.get(transcript)
  if (earlier !== undefined) return earlier
  const found = find(transcript)
  known.set(transcript, found)
  return found
}

function findExchanges(transcript: Transcript): Exchange[] {
  const exchanges: Exchange[] = []
  turnsOf(transcript).forEach((turn, turnIndex) => {
    const results = new Map<string, { block: ResultBlock; message: number }>()
    for (let index = turn.start; index < turn.end; index++) {
      for (const block of transcript.messages[index]?.blocks ?? []) {
        if (block.type === 'result' && !results.has(block.callId)) results.set(block.callId, { block, message: index })
      }
    }
    for (let index = turn.start; index < turn.end; index++) {
      for (const block of transcript.messages[index]?.blocks ?? []) {
        if (block.type !== 'call') continue
        const answer = results.get(block.id)
        results.delete(block.id)
        exchanges.push({
          call: block,
          result: answer?.block,
          message: index,
          resultMessage: answer?.message,
          turn: turnIndex,
        })
      }
    }
  })
  return exchanges
}

/** Estimated tokens of everything that would be sent, without the floor. */
export function viewTokens(transcript: Transcript): number {
  let sum = 0
  for (const message of transcript.messages) for (const block of message.blocks) sum += block.tokens
  return sum
}
