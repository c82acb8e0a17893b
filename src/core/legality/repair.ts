/**
 * Lossless repairs of the turn rules, as ordinary legality edits, in the stated order (message-rules "Read this
 * first", 5): pair, results first, empties, thinking left alone. Relinking is the format's; thinking comes last, in the economy.
 */
import type { Edit } from '../edits.ts'
import { removedBody, removedInput, removedText } from '../removed.ts'
import { dangling } from '../rules/dangling.ts'
import { droppedThinking } from '../rules/debris.ts'
import type { RuleContext } from '../rules/rule.ts'
import type { Address, Block, Message, Transcript } from '../transcript.ts'
import { emptyFaults } from './empties.ts'
import { orderFaults } from './order.ts'
import { pairingFaults } from './pairing.ts'

/** One round; the economy repeats it on the result until nothing is left to do. */
export function repairTurns(transcript: Transcript, context: RuleContext): Edit[] {
  const pairs = repairPairs(transcript, context)
  if (pairs.length > 0) return pairs
  const order = orderFaults(transcript).map((fault) => repairOrder(fault))
  if (order.length > 0) return order.filter((edit) => edit !== undefined)
  const empties = repairEmpties(transcript)
  return empties.length > 0 ? empties : droppedThinking(transcript)
}

interface Repair {
  readonly rule: string
  readonly reason: string
  readonly at: Address
  readonly frees?: number
  readonly removed?: Edit['removed']
}

function legality(repair: Repair) {
  return {
    purpose: 'legality' as const,
    class: 'worthless' as const,
    frees: 0,
    removed: [],
    ...repair,
  }
}

function repairPairs(transcript: Transcript, context: RuleContext): Edit[] {
  const faults = pairingFaults(transcript, transcript.messages.length)
  const edits: Edit[] = dangling(transcript, {}, context).map((edit) => ({ ...edit, rule: 'A09' }))
  for (const block of faults.orphans) {
    const reason = `result for ${block.callId} answers no call: kept as text`
    edits.push({ kind: 'result-to-text', ...legality({ rule: 'A11', reason, at: block.at }) })
  }
  for (const block of faults.duplicates) {
    edits.push({
      kind: 'drop-block',
      ...legality({
        rule: 'A12',
        reason: `call ${block.callId} already has a result`,
        at: block.at,
        frees: block.tokens,
        removed: [removedBody(block, { rule: 'A12', class: 'restorable' })],
      }),
    })
  }
  for (const block of faults.repeated)
    edits.push(dropCall(block, 'A13', `call id ${block.id} stands twice in one turn`))
  for (const block of faults.misplaced) {
    if (block.type === 'call') edits.push(dropCall(block, 'A14', 'a call cannot stand in a user message'))
    else {
      const reason = 'a result cannot stand in an assistant message: kept as text'
      edits.push({ kind: 'result-to-text', ...legality({ rule: 'A14', reason, at: block.at }) })
    }
  }
  return edits
}

function dropCall(block: Block & { type: 'call' }, rule: string, reason: string): Edit {
  const facts = { at: block.at, rule, class: 'restorable' as const, call: block }
  return {
    kind: 'drop-block',
    ...legality({
      rule,
      reason,
      at: block.at,
      frees: block.tokens,
      removed: [removedInput(block, facts)],
    }),
  }
}

function repairOrder(fault: ReturnType<typeof orderFaults>[number]): Edit | undefined {
  const { message, inside, behind } = fault
  const [entry] = message.entries
  const thread = message.blocks[0]?.at.thread
  if (entry === undefined || thread === undefined) return undefined
  const at = { thread, entry }
  if (inside) {
    const indexes = message.blocks.map((block) => block.at.block ?? 0)
    const isResult = (index: number): boolean =>
      message.blocks.find((block) => block.at.block === index)?.type === 'result'
    const order = [...indexes.filter(isResult), ...indexes.filter((index) => !isResult(index))]
    return { kind: 'reorder', order, ...legality({ rule: 'A15', reason: 'results come first', at }) }
  }
  if (behind === undefined) return undefined
  const reason = 'the result moves next to its call'
  return { kind: 'move', after: behind, ...legality({ rule: 'A16', reason, at }) }
}

function isBlank(block: Block): boolean {
  return block.type === 'text' && block.text.trim() === ''
}

/** Thinking whose message says nothing else leaves with it. */
function repairEmpties(transcript: Transcript): Edit[] {
  const { messages, texts } = emptyFaults(transcript)
  const blankOnly = new Set<Message>(
    texts
      .map(({ message }) => message)
      .filter((message) => message.blocks.every((block) => isBlank(block) || block.type === 'thinking')),
  )
  const drop = (message: Message, rule: string): Edit => {
    const at = { thread: transcript.thread, entry: message.entries[0] ?? 0 }
    const reason = `${message.role} message has no content`
    const removed = message.blocks.flatMap((block) =>
      block.type === 'thinking' && block.text !== '' ? [removedText(block.text, { at, rule, class: 'worthless' })] : [],
    )
    return { kind: 'drop-message', entries: message.entries, ...legality({ rule, reason, at, removed }) }
  }
  return [
    ...messages.map((message) => drop(message, 'A06')),
    ...[...blankOnly].map((message) => drop(message, 'A08')),
    ...texts
      .filter(({ message }) => !blankOnly.has(message))
      .map(
        ({ block }): Edit => ({
          kind: 'drop-block',
          ...legality({ rule: 'A08', reason: 'blank text block', at: block.at, frees: block.tokens }),
        }),
      ),
  ]
}
