/** Content of the SDK's messages, read field by field: what is not as expected is left out, never trusted. */
import { type Fields, fieldsOf, textOf } from '../../formats/fields.ts'

export interface PlainBlock {
  readonly type: string
  readonly text: string | undefined
  readonly thinking: string | undefined
  readonly id: string | undefined
  readonly name: string | undefined
  readonly input: unknown
  readonly answers: string | undefined
  readonly content: unknown
  readonly isError: boolean
}

/** A message's content as blocks; a string is one text. */
export function contentBlocks(content: unknown): PlainBlock[] {
  if (typeof content === 'string') return [plainBlock({ type: 'text', text: content })]
  return Array.isArray(content) ? content.flatMap((block) => plainBlock(fieldsOf(block) ?? {})) : []
}

function plainBlock(block: Fields): PlainBlock {
  return {
    type: textOf(block.type) ?? '',
    text: textOf(block.text),
    thinking: textOf(block.thinking),
    id: textOf(block.id),
    name: textOf(block.name),
    input: block.input,
    answers: textOf(block.tool_use_id),
    content: block.content,
    isError: block.is_error === true,
  }
}

/** The text of a result and how many images it has. */
export function resultBody(block: PlainBlock): { readonly text: string; readonly images: number } {
  const parts = contentBlocks(block.content)
  const text = parts.flatMap((part) => part.text ?? []).join('\n')
  return { text, images: parts.filter((part) => part.type === 'image').length }
}
