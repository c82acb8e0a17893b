/** Carries an entry's plan out on its JSON text: only the edited places change, nothing is stringified anew. */
import { wordsOf } from '../../core/apply.ts'
import type { EditOf } from '../../core/edits.ts'
import type { Block, JsonValue } from '../../core/transcript.ts'
import {
  elementsAt,
  membersAt,
  removeChildren,
  type Span,
  skipWhitespace,
  spanOf,
  spliceText,
  type TextSplice,
} from '../json-spans.ts'
import type { BlockEdit, EntryPlan } from './edit-plan.ts'
import type { Entry } from './entry.ts'
import { longStringsAt } from './long-strings.ts'

/** The splices that turn the object at `start` into what the plan makes of it. */
export function spliceEntry(text: string, start: number, entry: Entry, plan: EntryPlan): TextSplice[] {
  return [
    ...contentSplices(text, start, entry, plan),
    ...copySplices(text, start, entry, plan),
    ...fieldSplices(text, start, plan.fields),
  ]
}

/** Strings are written as JSON.stringify writes them: lone surrogates become escapes. */
export function quoted(text: string): string {
  return JSON.stringify(text)
}

function textBlockJson(text: string): string {
  return `{"type":"text","text":${quoted(text)}}`
}

/** Where an entry of this type says what it sends. */
function contentPath(type: string): readonly string[] {
  if (type === 'attachment') return ['rendered']
  return type === 'system' ? ['content'] : ['message', 'content']
}

function contentSplices(text: string, start: number, entry: Entry, plan: EntryPlan): TextSplice[] {
  const content = spanOf(text, contentPath(entry.type), start)
  if (!content) return []
  const blocks = new Map(entry.sent?.blocks.map((block) => [block.at.block ?? 0, block]))
  const leaves = (index: number): boolean =>
    plan.removed.has(index) || (plan.strip && blocks.get(index)?.type === 'thinking')
  if (text[content.start] !== '[') {
    const edit = plan.blocks.get(0)
    return edit && 'text' in edit ? [{ ...content, text: quoted(edit.text) }] : []
  }
  const elements = elementsAt(text, content.start)
  const edited = elements.map((element, index) => {
    const edit = plan.blocks.get(index)
    return edit && !leaves(index) ? blockSplices(text, element, edit, blocks.get(index)) : []
  })
  if (plan.order) return reordered(text, elements, edited, plan.order, leaves)
  return [...removeChildren(elements, leaves), ...edited.flat()]
}

/** The elements in their new order; those the order does not name keep theirs, behind. */
function reordered(
  text: string,
  elements: readonly Span[],
  edited: readonly (readonly TextSplice[])[],
  order: readonly number[],
  leaves: (index: number) => boolean,
): TextSplice[] {
  const first = elements[0]
  const last = elements.at(-1)
  if (!first || !last) return []
  const indexes = [...new Set([...order, ...elements.keys()])].filter((index) => elements[index] && !leaves(index))
  const pieces = indexes.map((index) => {
    const element = elements[index] ?? first
    const inside = (edited[index] ?? []).map((splice) => shifted(splice, -element.start))
    return spliceText(text.slice(element.start, element.end), inside)
  })
  return [{ start: first.start, end: last.end, text: pieces.join(',') }]
}

export function shifted(splice: TextSplice, by: number): TextSplice {
  return { ...splice, start: splice.start + by, end: splice.end + by }
}

function blockSplices(text: string, element: Span, edit: BlockEdit, block: Block | undefined): TextSplice[] {
  switch (edit.kind) {
    case 'replace-result':
      return resultSplices(text, element, edit)
    case 'replace-arguments':
      return edit.values.flatMap(({ path, text: value }) => {
        const span = spanOf(text, ['input', ...path], element.start)
        return span ? [{ ...span, text: quoted(value) }] : []
      })
    case 'replace-media': {
      const span = edit.part === undefined ? element : spanOf(text, ['content', edit.part], element.start)
      return span ? [{ ...span, text: textBlockJson(edit.text) }] : []
    }
    case 'replace-text': {
      const isPlain = text[element.start] === '"'
      const span = isPlain
        ? element
        : (spanOf(text, ['text'], element.start) ?? spanOf(text, ['content'], element.start))
      return [span ? { ...span, text: quoted(edit.text) } : { ...element, text: textBlockJson(edit.text) }]
    }
    case 'fold-exchange':
      return [{ ...element, text: textBlockJson(edit.text) }]
    case 'result-to-text':
      return block?.type === 'result' ? [{ ...element, text: textBlockJson(wordsOf(block)) }] : []
  }
}

/** The body keeps its shape: a string stays a string, an array becomes an array of one text. */
function resultSplices(text: string, element: Span, edit: EditOf<'replace-result'>): TextSplice[] {
  const fields = new Map<string, string>()
  const body = spanOf(text, ['content'], element.start)
  fields.set('content', body && text[body.start] === '[' ? `[${textBlockJson(edit.text)}]` : quoted(edit.text))
  const flag = spanOf(text, ['is_error'], element.start)
  if (edit.isError === true || (edit.isError === false && flag)) fields.set('is_error', String(edit.isError))
  return setMembers(text, element.start, fields)
}

/**
 * The `toolUseResult` copy: its long strings leave with the body (its type and keys stay), and all of it where the
 * result leaves but the entry stays. With several results in one entry nobody knows whose copy it is: it stays
 * until all of them are replaced.
 */
function copySplices(text: string, start: number, entry: Entry, plan: EntryPlan): TextSplice[] {
  const results = entry.sent?.blocks.filter((block) => block.type === 'result') ?? []
  if (results.length === 0) return []
  if (results.some((block) => plan.removed.has(block.at.block ?? 0))) return removeMember(text, start, 'toolUseResult')
  const notes = results.map((block) => noteOf(plan.blocks.get(block.at.block ?? 0)))
  const [note] = notes
  if (note === undefined || notes.some((one) => one === undefined)) return []
  const copy = spanOf(text, ['toolUseResult'], start)
  return copy ? longStringsAt(text, copy).map((span) => ({ ...span, text: quoted(note) })) : []
}

function noteOf(edit: BlockEdit | undefined): string | undefined {
  return edit?.kind === 'replace-result' || edit?.kind === 'replace-media' ? edit.text : undefined
}

function removeMember(text: string, start: number, key: string): TextSplice[] {
  const members = membersAt(text, start)
  return removeChildren(members, (index) => members[index]?.key === key)
}

function fieldSplices(text: string, start: number, fields: ReadonlyMap<string, JsonValue>): TextSplice[] {
  const top = new Map<string, string>()
  const splices: TextSplice[] = []
  for (const [field, value] of fields) {
    const path = field.split('.')
    const span = path.length > 1 ? spanOf(text, path, start) : undefined
    if (span) splices.push({ ...span, text: JSON.stringify(value) })
    else if (path.length === 1) top.set(field, JSON.stringify(value))
  }
  return [...splices, ...setMembers(text, start, top)]
}

/** Sets members of the object at `start`: in place where it has them, else behind its last one. */
export function setMembers(text: string, start: number, values: ReadonlyMap<string, string>): TextSplice[] {
  const members = membersAt(text, start)
  const splices: TextSplice[] = []
  const missing: string[] = []
  for (const [key, value] of values) {
    const member = members.findLast((one) => one.key === key)
    if (member) splices.push({ ...member.value, text: value })
    else missing.push(`${quoted(key)}:${value}`)
  }
  if (missing.length > 0) {
    const behind = members.at(-1)?.end ?? skipWhitespace(text, start) + 1
    splices.push({ start: behind, end: behind, text: `${members.length > 0 ? ',' : ''}${missing.join(',')}` })
  }
  return splices
}
