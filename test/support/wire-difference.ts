/**
 * How the first request of an edited session differs from that of the original: which blocks got another body, which
 * are gone, which came in. Whatever it does not name is equal and in the same order.
 */
import type { WireBlock, WireRequest } from '../../src/testing/index.ts'

export interface PlacedBlock {
  readonly role: string
  readonly block: WireBlock
  /** Index of its message in its request. */
  readonly message: number
}

export interface WireDifference {
  /** The same call or result (type and id) with another body. */
  readonly replaced: readonly { readonly from: PlacedBlock; readonly to: PlacedBlock }[]
  readonly removed: readonly PlacedBlock[]
  readonly added: readonly PlacedBlock[]
}

/** Walks both requests together; system and tools are the caller's to compare. */
export function wireDifference(original: WireRequest, edited: WireRequest): WireDifference {
  const before = flatten(original)
  const after = flatten(edited)
  const bodies = new Set(before.map(bodyOf))
  const identities = new Set(before.map(identityOf).filter((identity) => identity !== ''))
  const isNew = (placed: PlacedBlock): boolean => !bodies.has(bodyOf(placed)) && !identities.has(identityOf(placed))
  const replaced: { from: PlacedBlock; to: PlacedBlock }[] = []
  const removed: PlacedBlock[] = []
  const added: PlacedBlock[] = []
  let next = 0
  const passAdded = (): void => {
    for (let placed = after[next]; placed && isNew(placed); placed = after[++next]) added.push(placed)
  }
  for (const from of before) {
    passAdded()
    const to = after[next]
    if (to && bodyOf(to) === bodyOf(from)) next++
    else if (to && identityOf(to) !== '' && identityOf(to) === identityOf(from)) {
      replaced.push({ from, to })
      next++
    } else removed.push(from)
  }
  added.push(...after.slice(next))
  return { replaced, removed, added }
}

/** The request's blocks in order; a string is one text block, cache marks do not count (they move by themselves). */
export function flatten(request: WireRequest): PlacedBlock[] {
  return request.messages.flatMap((message, index) => {
    const blocks = typeof message.content === 'string' ? [{ type: 'text', text: message.content }] : message.content
    return blocks.map(({ cache_control: _, ...block }) => ({ role: message.role, block, message: index }))
  })
}

function bodyOf({ role, block }: PlacedBlock): string {
  return `${role}\n${JSON.stringify(Object.entries(block).sort(([a], [b]) => (a < b ? -1 : 1)))}`
}

/** '' where a block has no id of its own (texts, thinking). */
function identityOf({ role, block }: PlacedBlock): string {
  const id = block.id ?? block.tool_use_id
  return id === undefined ? '' : `${role}\n${block.type}\n${String(id)}`
}
