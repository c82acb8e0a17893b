/**
 * Tools that run at the provider: A22-A27. A call and its result stand in one assistant turn, except that code
 * execution may wait for a client's tool: then the span goes on in the next assistant turn.
 */
import { fieldsOf, textOf } from '../../fields.ts'
import { idText, type Placed } from '../places.ts'
import type { Found, RequestRule } from '../rule.ts'
import { isServerResult, type MessagesReading, type Turn } from './reading.ts'

interface Spans {
  readonly unresolved: Found[]
  readonly orphans: Found[]
  readonly mcp: Found[]
  readonly callers: Found[]
  /** Texts beside the answers to programmatic calls. */
  readonly crowded: Found[]
  /** Code execution is still waiting at the end of the request: for a client's tool, or for itself. */
  readonly pending: { readonly at: string; readonly byClient: boolean } | undefined
}

const walked = new WeakMap<MessagesReading, Spans>()

function spansOf(reading: MessagesReading): Spans {
  const known = walked.get(reading)
  if (known) return known
  const spans = walk(reading.turns)
  walked.set(reading, spans)
  return spans
}

/** The server tool use that called this tool, if a program did. */
function callerOf({ fields }: Placed): string | undefined {
  const caller = fieldsOf(fields.caller)
  return textOf(caller?.type)?.startsWith('code_execution') ? idText(caller?.tool_id) : undefined
}

function walk(turns: readonly Turn[]): Spans {
  const spans = { unresolved: [], orphans: [], mcp: [], callers: [], crowded: [] } as {
    -readonly [Key in Exclude<keyof Spans, 'pending'>]: Found[]
  }
  /** Server calls without result, in the order they came; what waits for a client's tool lives on in the next turn. */
  const open = new Map<string, Placed>()
  let waiting = new Set<string>()
  let programmatic = new Set<string>()
  turns.forEach((turn, index) => {
    if (turn.role === 'user') {
      noteCrowded(turn, programmatic, spans.crowded)
      return
    }
    waiting = new Set()
    programmatic = new Set()
    const openMcp = new Map<string, Placed>()
    const uses = new Set(open.keys())
    for (const block of turn.blocks) {
      const id = idText(block.fields.id)
      if (block.type === 'server_tool_use') {
        open.set(id, block)
        uses.add(id)
      } else if (isServerResult(block)) judgeResult(block, open, uses, spans.orphans)
      else if (block.type.startsWith('mcp_tool_')) judgeMcp(block, openMcp, spans.mcp)
      const caller = callerOf(block)
      if (caller === undefined || isServerResult(block)) continue
      if (!uses.has(caller))
        spans.callers.push({
          at: block.at,
          id: caller,
          message: `${block.at}.caller: references unknown tool id ${caller}`,
        })
      if (block.type !== 'tool_use') continue
      waiting.add(caller)
      programmatic.add(id)
    }
    if (index === turns.length - 1) return
    for (const block of openMcp.values()) spans.mcp.push(unresolvedUse(block, 'mcp_tool_result'))
    for (const [id, block] of open) {
      if (waiting.has(id)) continue
      open.delete(id)
      spans.unresolved.push(unresolvedUse(block, resultTypeOf(block)))
    }
  })
  return { ...spans, pending: pendingOf(open, waiting) }
}

function pendingOf(open: ReadonlyMap<string, Placed>, waiting: ReadonlySet<string>): Spans['pending'] {
  const block = [...open.values()].findLast(({ fields }) => textOf(fields.name)?.includes('code_execution'))
  return block && { at: block.at, byClient: waiting.has(idText(block.fields.id)) }
}

function judgeResult(block: Placed, open: Map<string, Placed>, uses: ReadonlySet<string>, orphans: Found[]): void {
  const id = idText(block.fields.tool_use_id)
  open.delete(id)
  if (uses.has(id)) return
  const { at, type } = block
  const message = `${at}: unexpected \`tool_use_id\` found in \`${type}\` blocks: ${id}. Each \`${type}\` block must have a corresponding \`server_tool_use\` block before it.`
  orphans.push({ at, id, message })
}

function judgeMcp(block: Placed, open: Map<string, Placed>, found: Found[]): void {
  const { at, fields, type } = block
  if (type === 'mcp_tool_use') {
    if (typeof fields.server_name !== 'string')
      found.push({ at, message: `${at}.mcp_tool_use.server_name: Field required` })
    open.set(idText(fields.id), block)
  } else if (type === 'mcp_tool_result') {
    const id = idText(fields.tool_use_id)
    if (!open.delete(id))
      found.push({ at, id, message: `${at}: unexpected \`tool_use_id\` found in \`${type}\` blocks: ${id}` })
  }
}

function resultTypeOf({ fields }: Placed): string {
  const name = textOf(fields.name) ?? 'server'
  return name.startsWith('tool_search_tool') ? 'tool_search_tool_result' : `${name}_tool_result`
}

function unresolvedUse({ fields, at }: Placed, resultType: string): Found {
  const id = idText(fields.id)
  const message = `${at.split('.content.')[0]}: \`${idText(fields.name)}\` tool use with id \`${id}\` was found without a corresponding \`${resultType}\` block`
  return { at, id, message }
}

function noteCrowded(turn: Turn, programmatic: ReadonlySet<string>, crowded: Found[]): void {
  const answers = turn.blocks.some(
    ({ type, fields }) => type === 'tool_result' && programmatic.has(idText(fields.tool_use_id)),
  )
  const other = turn.blocks.find(({ type }) => type !== 'tool_result')
  if (!answers || !other) return
  const message = `${other.at}: only \`tool_result\` blocks are allowed in the answer to tool calls made by code execution`
  crowded.push({ at: other.at, message })
}

export const SERVER_TOOL_RULES: readonly RequestRule<MessagesReading>[] = [
  {
    id: 'A22',
    severity: 'reject',
    evidence: 'issue',
    statement: 'A server tool call has its result later in the same turn, unless it is pending.',
    check: (reading) => spansOf(reading).unresolved,
  },
  {
    id: 'A23',
    severity: 'reject',
    evidence: 'issue',
    statement: 'A server tool result has its call before it in the same turn.',
    check: (reading) => spansOf(reading).orphans,
  },
  {
    id: 'A24',
    severity: 'warn',
    evidence: 'inferred',
    statement: 'MCP calls and results pair inside the turn, and a call names its server.',
    check: (reading) => spansOf(reading).mcp,
  },
  {
    id: 'A25',
    severity: 'reject',
    evidence: 'issue',
    statement: 'While code execution is pending, the request names its container and keeps the code execution tool.',
    check: checkContainer,
  },
  {
    id: 'A26',
    severity: 'reject',
    evidence: 'doc',
    statement: 'The answer to calls made by code execution holds results only.',
    check: (reading) => spansOf(reading).crowded,
  },
  {
    id: 'A27',
    severity: 'warn',
    evidence: 'inferred',
    statement: 'A caller names a server tool call that stands earlier in the turn.',
    check: (reading) => spansOf(reading).callers,
  },
]

function checkContainer(reading: MessagesReading): Found[] {
  const { pending } = spansOf(reading)
  if (!pending) return []
  const { at, byClient } = pending
  const { container } = reading.request
  const missing = 'container_id is required when there are pending tool uses generated by code execution with tools.'
  if (container === undefined || container === null)
    return [{ at, message: missing, ...(byClient ? {} : { unsure: true }) }]
  const gone = reading.tools.length > 0 && !reading.tools.some(({ type }) => type.startsWith('code_execution'))
  return gone ? [{ at, message: 'tools: the code execution tool is required while it is pending', unsure: true }] : []
}
