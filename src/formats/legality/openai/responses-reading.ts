/** An OpenAI Responses request, read once for all rules: a flat list of items. */
import { type Fields, fieldsOf, textOf } from '../../fields.ts'
import { idText, placedIn } from '../places.ts'

export interface Item {
  readonly fields: Fields
  /** A message may leave its type out. */
  readonly type: string
  readonly id: string | undefined
  readonly callId: string
  /** `input[1]`. */
  readonly at: string
}

export interface ResponsesReading {
  readonly request: Fields
  readonly items: readonly Item[]
  /** Earlier items live at the provider: what is not here may be there. */
  readonly continues: boolean
  readonly model: string | undefined
}

export function readResponses(value: unknown): ResponsesReading {
  const request = fieldsOf(value) ?? {}
  const items = placedIn(request.input, 'input').map(({ fields, type, at }) => ({
    fields,
    type: type === '' && typeof fields.role === 'string' ? 'message' : type,
    id: textOf(fields.id),
    callId: idText(fields.call_id ?? (type === 'local_shell_call_output' ? fields.id : undefined)),
    at: at.replace(/\.(\d+)$/, '[$1]'),
  }))
  const continues = typeof request.previous_response_id === 'string' || isNamed(request.conversation)
  return { request, items, continues, model: textOf(request.model) }
}

function isNamed(conversation: unknown): boolean {
  return typeof conversation === 'string' || fieldsOf(conversation) !== undefined
}

/** Each kind of call and the item that answers it. */
const OUTPUT_OF = new Map([
  ['function_call', 'function_call_output'],
  ['custom_tool_call', 'custom_tool_call_output'],
  ['local_shell_call', 'local_shell_call_output'],
  ['shell_call', 'shell_call_output'],
  ['apply_patch_call', 'apply_patch_call_output'],
  ['computer_call', 'computer_call_output'],
])
const CALL_OF = new Map([...OUTPUT_OF].map(([call, output]) => [output, call]))

export function outputTypeOf(item: Item): string | undefined {
  return OUTPUT_OF.get(item.type)
}

export function callTypeOf(item: Item): string | undefined {
  return CALL_OF.get(item.type)
}
