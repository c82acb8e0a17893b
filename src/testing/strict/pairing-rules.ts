/**
 * Calls and their results: A09-A13, A15, A16. The rules work on turns: neighbouring messages of one role are one
 * turn (A02), and a system message is part of neither side, unless it parts calls from their results.
 */
import { blocksOf, type WireBlock, type WireError, type WireRequest } from '../wire.ts'
import { refusal } from './refusal.ts'

interface PlacedBlock {
  readonly block: WireBlock
  readonly at: string
}

interface WireTurn {
  readonly role: 'user' | 'assistant'
  /** Index of its last message, which the API names in its errors. */
  last: number
  readonly blocks: PlacedBlock[]
  /** A system message stands directly before it. */
  readonly afterSystem: boolean
}

export function checkPairing(request: WireRequest): WireError | undefined {
  const turns = turnsOf(request)
  const known = new Set<string>()
  for (const [index, turn] of turns.entries()) {
    const problem =
      turn.role === 'assistant'
        ? (checkUnique(turn, known) ?? checkAnswered(turn, turns[index + 1]))
        : checkResults(turn, turns[index - 1])
    if (problem) return problem
  }
  return undefined
}

function turnsOf(request: WireRequest): WireTurn[] {
  const turns: WireTurn[] = []
  let afterSystem = false
  for (const [index, message] of request.messages.entries()) {
    if (message.role === 'system') {
      afterSystem = true
      continue
    }
    let turn = turns.at(-1)
    if (turn?.role !== message.role) {
      turn = { role: message.role, last: index, blocks: [], afterSystem }
      turns.push(turn)
    }
    turn.last = index
    for (const [position, block] of blocksOf(message.content).entries()) {
      turn.blocks.push({ block, at: `messages.${index}.content.${position}` })
    }
    afterSystem = false
  }
  return turns
}

function callIds(turn: WireTurn | undefined): string[] {
  return (turn?.blocks ?? []).filter(({ block }) => block.type === 'tool_use').map(({ block }) => String(block.id))
}

function checkUnique(turn: WireTurn, known: Set<string>): WireError | undefined {
  for (const { block, at } of turn.blocks) {
    if (block.type !== 'tool_use') continue
    const id = String(block.id)
    if (known.has(id)) return refusal('A13', `${at}: \`tool_use\` ids must be unique`)
    known.add(id)
  }
  return undefined
}

/** Only the results that stand before any other block of the next turn count as answers. */
function checkAnswered(turn: WireTurn, next: WireTurn | undefined): WireError | undefined {
  const ids = callIds(turn)
  if (ids.length === 0) return undefined
  const answered = new Set<string>()
  const late = new Set<string>()
  let pastResults = false
  for (const { block } of next?.blocks ?? []) {
    if (block.type !== 'tool_result') pastResults = true
    else if (pastResults) late.add(String(block.tool_use_id))
    else answered.add(String(block.tool_use_id))
  }
  const parted = next?.afterSystem === true
  const missing = parted ? ids : ids.filter((id) => !answered.has(id))
  if (missing.length === 0) return undefined
  const rule = parted ? 'A16' : missing.some((id) => late.has(id)) ? 'A15' : missing.length < ids.length ? 'A10' : 'A09'
  return refusal(
    rule,
    `messages.${turn.last}: \`tool_use\` ids were found without \`tool_result\` blocks immediately after: ${missing.join(', ')}. Each \`tool_use\` block must have a corresponding \`tool_result\` block in the next message.`,
  )
}

function checkResults(turn: WireTurn, previous: WireTurn | undefined): WireError | undefined {
  const open = new Set(callIds(previous))
  const seen = new Set<string>()
  for (const { block, at } of turn.blocks) {
    if (block.type !== 'tool_result') continue
    const id = String(block.tool_use_id)
    if (!open.has(id)) {
      return refusal(
        'A11',
        `${at}: unexpected \`tool_use_id\` found in \`tool_result\` blocks: ${id}. Each \`tool_result\` block must have a corresponding \`tool_use\` block in the previous message.`,
      )
    }
    if (seen.has(id)) {
      return refusal(
        'A12',
        `${at}: each tool_use must have a single result. Found multiple \`tool_result\` blocks with id: ${id}`,
      )
    }
    seen.add(id)
  }
  return undefined
}
