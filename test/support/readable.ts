/** What can be read in a transcript, and what of it an edit lost. */
import type { Removed } from '../../src/core/edits.ts'
import type { Block, JsonValue, Transcript } from '../../src/core/transcript.ts'

/** Every text that somebody said or a tool gave; what the harness made up about errors is nobody's. */
function textsIn(transcript: Transcript): string[] {
  return transcript.messages
    .filter((message) => message.kind !== 'api-error')
    .flatMap(({ blocks }) => blocks.flatMap(textsOf))
    .filter((text) => text.trim() !== '')
}

function textsOf(block: Block): string[] {
  if (block.type === 'text' || block.type === 'thinking') return [block.text]
  if (block.type === 'call') return stringsIn(block.input)
  if (block.type !== 'result') return []
  return block.parts.flatMap((part) => (part.type === 'text' ? [part.text] : []))
}

function stringsIn(value: JsonValue): string[] {
  if (typeof value === 'string') return [value]
  if (typeof value !== 'object' || value === null) return []
  return Object.values(value).flatMap(stringsIn)
}

/** Texts of `before` that neither the output, as a transcript and as JSON, nor anything removed still says. */
export function lostTexts(
  before: Transcript,
  after: Transcript,
  output: string,
  removed: readonly Pick<Removed, 'content'>[],
): string[] {
  const left = [...textsIn(after), output, ...removed.map(({ content }) => String(content))].join('\n')
  return textsIn(before).filter((text) => !left.includes(text) && !left.includes(JSON.stringify(text).slice(1, -1)))
}
