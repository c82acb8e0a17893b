/** Carries a roll-up out: the line stands where the first of its tasks stood, everything else of them leaves. */
import { isCallLine } from '../call-line.ts'
import type { Edit, EditChange, Removed } from '../edits.ts'
import { isSpillwayText } from '../pointer.ts'
import { removedInput, removedText } from '../removed.ts'
import { estimateTokens } from '../tokens.ts'
import type { Address, Transcript } from '../transcript.ts'
import type { Companion } from './companions.ts'
import { bundleOf } from './digest.ts'
import { bodyOf, pollEdits, TASKS_RULE } from './fold.ts'
import { groupLine } from './group-line.ts'
import { contentOf, type Leaf, type NewLine, type RecordedTask } from './grouping.ts'

/** The edits of one new line; `companions`: words that leave with its tasks. */
export function rollUpEdits(line: NewLine, companions: readonly Companion[], transcript: Transcript): Edit[] {
  const [opener, ...others] = line.leaves
  if (!opener) return []
  // Lines of other rules that leave stay within reach: the content names what they stand for.
  const ours = companions.flatMap(({ blocks }) => blocks.filter(isOurs).map(({ text: said }) => said))
  const main = contentOut(line, contentOf([...line.members, ...ours]), opener)
  const contents = [main, ...line.contents.map((content) => contentOut(line, content, opener))]
  const text = groupLine({ ...line, ref: main.ref })
  return [
    openerEdit(line, text, opener, contents),
    ...others.map((leaf) => leafEdit(line, leaf)),
    ...line.leaves.flatMap((leaf) => (leaf.kind === 'task' ? pollEdits(leaf.task, transcript) : [])),
    ...companions.flatMap((companion) => droppedWords(line, companion)),
  ]
}

function isOurs(block: Companion['blocks'][number]): boolean {
  return block.type === 'text' && (isSpillwayText(block.text) || isCallLine(block.text))
}

function contentOut(line: NewLine, content: string, opener: Leaf): Removed {
  return removedText(content, { at: placeOf(opener), rule: TASKS_RULE, class: 'restorable', target: line.names })
}

function placeOf(leaf: Leaf): Address {
  return leaf.kind === 'line' ? leaf.block.at : leaf.task.spawn.call.at
}

function openerEdit(line: NewLine, text: string, opener: Leaf, contents: readonly Removed[]): Edit {
  const cost = estimateTokens(text)
  if (opener.kind === 'line') {
    return edit(line, opener.block.at, opener.block.tokens - cost, contents, { kind: 'replace-text', text })
  }
  const { call, result } = opener.task.spawn
  const removed = [...contents, ...takenOut(opener)]
  const frees = call.tokens + result.tokens - cost
  return edit(line, call.at, frees, removed, { kind: 'fold-exchange', text, result: result.at })
}

function leafEdit(line: NewLine, leaf: Leaf): Edit {
  if (leaf.kind === 'line') return edit(line, leaf.block.at, leaf.block.tokens, [], { kind: 'drop-block' })
  const { call, result } = leaf.task.spawn
  return edit(line, call.at, call.tokens + result.tokens, takenOut(leaf), { kind: 'drop-exchange', result: result.at })
}

/** A record's text is in the line's content; what it stood for was taken out when it was written. */
function takenOut({ task }: RecordedTask): Removed[] {
  const facts = { rule: TASKS_RULE, class: 'restorable' as const, call: task.spawn.call, target: task.name }
  const input = removedInput(task.spawn.call, facts)
  return task.record === undefined ? [bundleOf(task), input, bodyOf(task)] : [input]
}

function droppedWords(line: NewLine, { blocks, note }: Companion): Edit[] {
  const removed = (block: Companion['blocks'][number]): Removed[] => {
    const facts = { at: block.at, rule: TASKS_RULE, class: 'restorable' as const }
    return block.text === '' || isOurs(block) ? [] : [removedText(block.text, facts)]
  }
  const [first] = blocks
  if (note && first) {
    const { thread, entry } = first.at
    const tokens = blocks.reduce((sum, block) => sum + block.tokens, 0)
    const change = { kind: 'drop-message', entries: note.entries } as const
    return [edit(line, { thread, entry }, tokens, blocks.flatMap(removed), change)]
  }
  return blocks.map((block) => edit(line, block.at, block.tokens, removed(block), { kind: 'drop-block' }))
}

function edit(line: NewLine, at: Address, frees: number, removed: readonly Removed[], change: EditChange): Edit {
  return {
    ...change,
    at,
    rule: TASKS_RULE,
    reason: `${line.completed + line.failed} old tasks become one line`,
    purpose: 'economy',
    class: 'restorable',
    frees,
    removed,
  }
}
