/**
 * How the first request of an edited session differs from that of the original: which blocks were shortened, which
 * are gone, which came in. Everything else is equal, or comparing throws.
 */
import type { WireBlock, WireRequest } from '../../src/testing/index.ts'

export interface PlacedBlock {
  readonly role: string
  readonly block: WireBlock
  /** Index of its message in its request. */
  readonly message: number
}

export interface WireDifference {
  readonly shortened: readonly { readonly from: PlacedBlock; readonly to: PlacedBlock }[]
  readonly removed: readonly PlacedBlock[]
  readonly added: readonly PlacedBlock[]
}

/**
 * Both requests are walked together. A block may be shortened (same type and id, a note of ours where the content
 * was), removed, or added; a block that is different in any other way counts as one removed and one added.
 */
export function wireDifference(original: WireRequest, edited: WireRequest): WireDifference {
  const before = flatten(original)
  const after = flatten(edited)
  const known = new Set(before.map(keyOf))
  const shortened: { from: PlacedBlock; to: PlacedBlock }[] = []
  const removed: PlacedBlock[] = []
  const added: PlacedBlock[] = []
  let next = 0
  const passAdded = (): void => {
    for (let placed = after[next]; placed && isNew(placed, known, before); placed = after[next]) {
      added.push(placed)
      next++
    }
  }
  for (const from of before) {
    passAdded()
    const to = after[next]
    if (to && keyOf(to) === keyOf(from)) next++
    else if (to && isNote(from, to)) {
      shortened.push({ from, to })
      next++
    } else removed.push(from)
  }
  passAdded()
  added.push(...after.slice(next))
  return { shortened, removed, added }
}

/** The request's blocks in order, in the form in which equal means equal for the API. */
export function flatten(request: WireRequest): PlacedBlock[] {
  return request.messages.flatMap((message, index) => {
    const blocks = typeof message.content === 'string' ? [{ type: 'text', text: message.content }] : message.content
    return blocks.map((block) => {
      const { cache_control: _, ...rest } = block
      return { role: message.role, block: rest as WireBlock, message: index }
    })
  })
}

function keyOf({ role, block }: PlacedBlock): string {
  return `${role}\n${JSON.stringify(block)}`
}

function idOf({ block }: PlacedBlock): string {
  return `${block.type}\n${String(block.id ?? block.tool_use_id ?? '')}`
}

function isNote(from: PlacedBlock, to: PlacedBlock): boolean {
  return from.role === to.role && idOf(from) === idOf(to) && from.block.type !== 'text' && isOurs(to)
}

function isNew(placed: PlacedBlock, known: ReadonlySet<string>, before: readonly PlacedBlock[]): boolean {
  return !known.has(keyOf(placed)) && !before.some((from) => isNote(from, placed))
}

function isOurs({ block }: PlacedBlock): boolean {
  return JSON.stringify(block).includes('[spillway ')
}
