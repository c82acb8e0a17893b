/**
 * Very old calls and long texts move to the archive (DESIGN, ledger): a stretch of call lines (or of calls that would
 * become lines) leaves one pointer to all of them; a text of the user or the harness, and an answer in words alone,
 * leaves one of its own. The first request always stays.
 */
import { isCallLine } from '../call-line.ts'
import type { Edit, EditChange, Removed } from '../edits.ts'
import { countOf, isSpillwayText, pointerTo } from '../pointer.ts'
import { removedText } from '../removed.ts'
import { boundAnnouncements } from '../tasks/index.ts'
import { estimateTokens } from '../tokens.ts'
import type { Address, Block, Message, TextBlock, Transcript } from '../transcript.ts'
import { addressKey, turnsOf } from '../transcript.ts'
import { earlierOf } from './earlier.ts'
import { type Foldable, foldableTurns, lineOf, takenOut } from './fold.ts'
import { classOf } from './results.ts'
import type { Rule, RuleContext } from './rule.ts'

export interface LedgerOptions {
  /** What is this many turns old moves. */
  readonly afterTurns: number
  /** Texts of the user of at most this many tokens stay. */
  readonly keepTokens: number
}

export const DEFAULT_LEDGER_TURNS = 200
export const DEFAULT_LEDGER_TOKENS = 60

const RULE = 'ledger'
/** Fewer calls are not worth a pointer. */
const FEWEST_CALLS = 2

/** What people and harnesses say; reminders and summaries are no texts of their own. */
const MOVABLE: ReadonlySet<Message['kind']> = new Set([undefined, 'task-event', 'meta'])

/** Something that leaves; the first of a stretch gives its place to the pointer. */
interface Leaving {
  readonly at: Address
  readonly tokens: number
  readonly removed: readonly Removed[]
  /** The line it is or would become; the model's own words have none. */
  readonly line?: string
  readonly first: (text: string) => EditChange
  readonly other: EditChange
}

export const ledger: Rule<LedgerOptions> = (transcript, options, context) => {
  const turns = turnsOf(transcript)
  const limit = turns[turns.length - 1 - options.afterTurns]?.end
  if (limit === undefined) return []
  const folding = foldingBlocks(transcript, options.afterTurns, context)
  const edits: Edit[] = []
  let stretch: Leaving[] = []
  const close = (): void => {
    for (const each of moved(stretch)) edits.push(each)
    stretch = []
  }
  const announcements = boundAnnouncements(transcript, context.tasks)
  const earlier = earlierOf(context.before)
  for (const [index, message] of transcript.messages.slice(0, limit).entries()) {
    const blocks = message.blocks.filter(({ at }) => !earlier.isGone(at))
    const isLeft = blocks.length === message.blocks.length || blocks.some(({ type }) => type !== 'thinking')
    if (!isLeft) continue
    if (message.role === 'user') {
      if (!saysNothing(message)) close()
      if (MOVABLE.has(message.kind) && !announcements.has(index))
        for (const each of longTexts(message, options, 'user text')) edits.push(each)
      continue
    }
    if (!blocks.some((block) => block.type === 'call'))
      for (const each of longTexts(message, options, 'answer')) edits.push(each)
    // Thinking alone needs what follows it: there a stretch begins, since its pointer stays.
    if (blocks.every((block) => block.type === 'thinking')) close()
    for (const block of blocks) {
      const leaving = folding.get(addressKey(block.at)) ?? leavingLine(block)
      if (leaving) stretch.push(leaving)
      else if (block.type !== 'thinking') close()
    }
  }
  close()
  return edits
}

/** Results and reminders do not part a stretch: the results leave with their calls. */
function saysNothing(message: Message): boolean {
  return message.kind === 'reminder' || message.blocks.every((block) => block.type === 'result')
}

function leavingLine(block: Block): Leaving | undefined {
  if (block.type !== 'text' || !isCallLine(block.text)) return undefined
  return {
    at: block.at,
    tokens: block.tokens,
    removed: [],
    line: block.text,
    first: (text) => ({ kind: 'replace-text', text }),
    other: { kind: 'drop-block' },
  }
}

/** Blocks of very old calls that never were lines, by address. */
function foldingBlocks(transcript: Transcript, afterTurns: number, context: RuleContext): Map<string, Leaving> {
  const blocks = new Map<string, Leaving>()
  for (const { exchanges, words } of foldableTurns(transcript, afterTurns, context)) {
    for (const exchange of exchanges) blocks.set(addressKey(exchange.call.at), leavingExchange(exchange, transcript))
    for (const block of words) blocks.set(addressKey(block.at), leavingWords(block))
  }
  return blocks
}

function leavingExchange(exchange: Foldable, transcript: Transcript): Leaving {
  const { call, result } = exchange
  return {
    at: call.at,
    tokens: call.tokens + result.tokens,
    removed: takenOut(exchange, RULE, classOf(call.tool, transcript)),
    line: lineOf(exchange),
    first: (text) => ({ kind: 'fold-exchange', text, result: result.at }),
    other: { kind: 'drop-exchange', result: result.at },
  }
}

function leavingWords(block: TextBlock): Leaving {
  return {
    at: block.at,
    tokens: block.tokens,
    removed: [removedText(block.text, { at: block.at, rule: RULE, class: 'restorable' })],
    first: (text) => ({ kind: 'replace-text', text }),
    other: { kind: 'drop-block' },
  }
}

/** A stretch shrinks as a whole: the first of it bear what the pointer costs. */
function moved(stretch: readonly Leaving[]): Edit[] {
  const lines = stretch.flatMap(({ line }) => line ?? [])
  const opener = stretch[0]
  if (!opener || lines.length < FEWEST_CALLS) return []
  const out = removedText(lines.join('\n'), { at: opener.at, rule: RULE, class: 'restorable' })
  const text = pointerTo({
    ref: out.ref,
    tool: `${lines.length} calls`,
    size: countOf(lines.join('\n').length, 'characters'),
  })
  let cost = estimateTokens(text)
  const shared = stretch.map(({ tokens }) => {
    const borne = Math.min(cost, tokens - 1)
    cost -= borne
    return tokens - borne
  })
  if (cost > 0 || shared.some((frees) => frees <= 0)) return []
  const opening = opener.first(text)
  return stretch.map((each, index): Edit => {
    const opens = each === opener
    return {
      ...(opens ? opening : each.other),
      at: each.at,
      rule: RULE,
      reason: opens ? `${lines.length} very old calls move to the ledger` : 'moves to the ledger with its stretch',
      purpose: 'economy',
      class: 'restorable',
      frees: shared[index] ?? 0,
      removed: opens ? [out, ...each.removed] : each.removed,
    }
  })
}

function longTexts(message: Message, options: LedgerOptions, name: string): Edit[] {
  return message.blocks.flatMap((block): Edit[] => {
    if (block.type !== 'text' || block.tokens <= options.keepTokens || isOurs(block.text)) return []
    const removed = removedText(block.text, { at: block.at, rule: RULE, class: 'restorable' })
    const size = countOf(block.chars, 'characters')
    const text = pointerTo({ ref: removed.ref, tool: name, target: block.text, size })
    return [
      {
        kind: 'replace-text',
        at: block.at,
        rule: RULE,
        reason: `a long ${name} is very old`,
        purpose: 'economy',
        class: 'restorable',
        frees: block.tokens - estimateTokens(text),
        removed: [removed],
        text,
      },
    ]
  })
}

function isOurs(text: string): boolean {
  return isSpillwayText(text) || isCallLine(text)
}
