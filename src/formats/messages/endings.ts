/** How a Messages request may end (A04, A05): repaired only where it is to be sent as it is. */
import type { Edit } from '../../core/edits.ts'
import { removedText } from '../../core/removed.ts'
import { estimateTokens } from '../../core/tokens.ts'
import type { JsonValue, TextBlock, Transcript } from '../../core/transcript.ts'
import { checkRequest } from '../legality/index.ts'

/** What the user says where a model does not take the beginning of its own answer. */
const CONTINUE_TEXT = 'Continue.'

export function endingsOfMessages(request: JsonValue, transcript: Transcript): Edit[] {
  const broken = new Set(checkRequest('anthropic-messages', request).map(({ rule }) => rule))
  const last = transcript.messages.findLast(({ role }) => role !== 'system')
  const entry = last?.entries.at(-1)
  if (last?.role !== 'assistant' || entry === undefined) return []
  const facts = { purpose: 'legality', class: 'worthless' } as const
  if (broken.has('A04')) {
    const reason = 'this model does not go on with a begun answer: the user asks it to continue'
    const said = { rule: 'A04', reason, frees: -estimateTokens(CONTINUE_TEXT), removed: [], text: CONTINUE_TEXT }
    const at = { thread: transcript.thread, entry }
    return [{ ...facts, ...said, kind: 'insert-message', role: 'user', at }]
  }
  const block = last.blocks.at(-1)
  return broken.has('A05') && block?.type === 'text' ? [{ ...facts, ...trimmed(block) }] : []
}

function trimmed(block: TextBlock) {
  const text = block.text.trimEnd()
  return {
    kind: 'replace-text' as const,
    rule: 'A05',
    reason: 'white space at the end of a begun answer leaves',
    frees: Math.max(0, block.tokens - estimateTokens(text)),
    removed: [removedText(block.text, { at: block.at, rule: 'A05', class: 'worthless' })],
    at: block.at,
    text,
  }
}
