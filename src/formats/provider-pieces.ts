/**
 * Messages that hold pieces only their provider understands (opaque blocks): does the message need anything outside
 * itself? One that does not may leave whole; one that does (a call that code execution made, an approval, a compaction)
 * stays.
 */
import type { Message } from '../core/transcript.ts'

/** Calls that the provider runs, each with its result in the same message (Messages A21-A24, AI SDK C07). */
const OPENING = /^(server_tool_use|mcp_tool_use|tool-call)$/
const CLOSING =
  /^(web_search|web_fetch|tool_search|text_editor_code_execution|bash_code_execution|code_execution|advisor)_tool_result$|^mcp_tool_result$|^tool-result$/
/** Complete in themselves (Responses B26, Chat). */
const ALONE = /^(web_search|file_search|code_interpreter|image_generation|mcp)_call$|^refusal$|^audio$/

/** In a user message: not an attachment, but what answers a piece of another message. */
const ANSWER = /result|output|response|approval/

export function standsAlone({ role, blocks }: Message): boolean {
  let open = 0
  for (const block of blocks) {
    if (block.type !== 'opaque') continue
    if (role !== 'assistant') {
      if (ANSWER.test(block.name)) return false
      continue
    }
    if (OPENING.test(block.name)) open++
    else if (CLOSING.test(block.name) && open > 0) open--
    else if (!ALONE.test(block.name)) return false
  }
  return open === 0
}
