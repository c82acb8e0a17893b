/** Items that an edit or a repair makes. */
import type { JsonObject, ResultBlock } from '../../core/transcript.ts'
import { ANSWERS } from './items.ts'

/** Words of the user. */
export function userText(text: string): JsonObject {
  return { type: 'message', role: 'user', content: [{ type: 'input_text', text }] }
}

/** Words of the model. */
export function answerText(text: string): JsonObject {
  return { type: 'message', role: 'assistant', content: [{ type: 'output_text', text, annotations: [] }] }
}

/** The answer of a call; `callType` is the type of the call's own item. */
export function answerItem({ callId, parts }: ResultBlock, callType: unknown): JsonObject {
  const [part] = parts
  const output = part?.type === 'text' ? part.text : ''
  if (callType === 'local_shell_call') return { type: 'local_shell_call_output', id: callId, output }
  const type = typeof callType === 'string' ? ANSWERS[callType] : undefined
  return { type: type ?? 'function_call_output', call_id: callId, output }
}
