/** The way back (DESIGN, Pointer): a tool with which the model fetches what left its context. */
import { z } from 'zod'
import type { Archived, ContentArchive } from './content-archive.ts'

export const DEFAULT_RECALL_NAME = 'recall'
/** Characters of one answer: a longer one would only have to leave again. */
export const DEFAULT_RECALL_CHARS = 8_000

export interface RecallToolOptions {
  readonly archive: ContentArchive
  readonly name?: string
  /** Most characters of one answer. */
  readonly chars?: number
}

const DESCRIPTION =
  'Brings back content that was taken out of this conversation and replaced by a pointer such as ' +
  '[spillway 4oymiquy7qob: Read src/main.ts, 5,120 characters. Back: …]. Use it when you need what stood there. ' +
  'Give the reference, or words to search for when there is no pointer.'

const INPUT = z.object({
  ref: z.string().optional().describe('The reference of a pointer: its twelve characters, or the whole pointer.'),
  words: z.string().optional().describe('Words that the content holds. Only without ref.'),
  from: z.int().min(0).optional().describe('Character to start at. Only to go on with content that was cut.'),
})
type RecallInput = z.infer<typeof INPUT>

/** A reference alone, in a pointer or note, or as the pointer says how to get at it. */
const NAMED = /^(?:\[spillway (?:context note )?|spillway recall )?([a-z2-7]{12,52})(?:$|[:\s\]])/

/** The same tool for each shape, and what answers its calls. */
export interface RecallTool {
  readonly name: string
  /** For `tools` of Anthropic Messages. */
  readonly messages: { name: string; description: string; input_schema: { type: 'object'; [key: string]: unknown } }
  /** For `tools` of OpenAI Chat. */
  readonly chat: {
    type: 'function'
    function: { name: string; description: string; parameters: Record<string, unknown> }
  }
  /** For `tools` of OpenAI Responses. */
  readonly responses: {
    type: 'function'
    name: string
    description: string
    parameters: Record<string, unknown>
    strict: false
  }
  /** For an MCP server. */
  readonly mcp: { name: string; description: string; inputSchema: { type: 'object'; [key: string]: unknown } }
  /** For `tools` of the AI SDK: `{ recall: recallTool({ archive }).aiSdk }`. It runs by itself. */
  readonly aiSdk: { description: string; inputSchema: typeof INPUT; execute(input: RecallInput): Promise<string> }
  /** The text that answers a call with this input: an object, or its JSON as OpenAI has it. Never throws. */
  answer(input: unknown): Promise<string>
}

export function recallTool({
  archive,
  name = DEFAULT_RECALL_NAME,
  chars = DEFAULT_RECALL_CHARS,
}: RecallToolOptions): RecallTool {
  const description = DESCRIPTION
  const { $schema: _, ...json } = z.toJSONSchema(INPUT)
  const schema = { ...json, type: 'object' as const }
  const answer = async (input: unknown): Promise<string> => {
    const parsed = INPUT.safeParse(typeof input === 'string' ? jsonOf(input) : input)
    if (!parsed.success) return `recall: ${z.prettifyError(parsed.error)}`
    try {
      return await recalled(parsed.data, archive, chars)
    } catch (error) {
      // The model can go on without it; the loop must not end here.
      return `recall failed: ${error instanceof Error ? error.message : String(error)}`
    }
  }
  return {
    name,
    messages: { name, description, input_schema: schema },
    chat: { type: 'function', function: { name, description, parameters: schema } },
    responses: { type: 'function', name, description, parameters: schema, strict: false },
    mcp: { name, description, inputSchema: schema },
    aiSdk: { description, inputSchema: INPUT, execute: answer },
    answer,
  }
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

async function recalled(
  { ref, words, from = 0 }: RecallInput,
  archive: ContentArchive,
  chars: number,
): Promise<string> {
  const given = ref?.trim() ?? ''
  const named = NAMED.exec(given)?.[1]
  const found = named === undefined ? undefined : await archive.get(named)
  if (found) return partOf(found, from, chars)
  if (named !== undefined && words === undefined) return `recall: nothing was taken out under ${named}`
  const wanted = (words ?? given).trim()
  if (wanted === '') return 'recall: give the reference of a pointer, or words to search for'
  if (!archive.search) return 'recall: this archive cannot be searched; give the reference of a pointer'
  const hits = await archive.search(wanted)
  if (hits.length === 0) return `recall: nothing that was taken out holds "${wanted}"`
  return hits
    .map((hit) => `${hit.ref}  ${[hit.tool, hit.target].join(' ').trim()}\n${hit.excerpt}`)
    .join('\n\n')
    .slice(0, chars)
}

function partOf({ ref, content, mediaType }: Archived, from: number, chars: number): string {
  if (typeof content !== 'string') return `recall: ${ref} is ${mediaType}, ${content.length} bytes; it has no text`
  const part = content.slice(from, from + chars)
  const end = from + part.length
  if (from === 0 && end === content.length) return content
  const rest = end < content.length ? `; go on with from: ${end}` : ''
  return `${part}\n[characters ${from} to ${end} of ${content.length}${rest}]`
}
