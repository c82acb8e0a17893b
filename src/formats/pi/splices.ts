/** Edits of one recorded entry as splices of its JSON text: every other character stays as it was written. */
import { wordsOf } from '../../core/apply.ts'
import { ARGUMENT_CHARS } from '../../core/blocks.ts'
import type { Edit, EditOf } from '../../core/edits.ts'
import type { JsonValue, ResultBlock } from '../../core/transcript.ts'
import { type Fields, fieldsOf } from '../fields.ts'
import {
  elementsAt,
  longStringsAt,
  membersAt,
  removeChildren,
  type Span,
  spanOf,
  spliceText,
  type TextSplice,
} from '../json-spans.ts'
import { partIndexes } from './content.ts'
import type { FieldChange } from './plan.ts'

/** One entry inside its line's text. */
export interface EntryText {
  readonly text: string
  /** Where the entry's object starts and ends in `text`. */
  readonly start: number
  readonly end: number
  readonly value: Fields
}

function textBlockJson(text: string): string {
  return JSON.stringify({ type: 'text', text })
}

/** Sets fields by path; a member that is missing is added, when the object it belongs to is there. */
export function fieldSplices(entry: EntryText, changes: readonly FieldChange[]): TextSplice[] {
  return changes.flatMap(({ path, value }) => fieldSplice(entry, path, value))
}

function fieldSplice(entry: EntryText, path: readonly string[], value: JsonValue): TextSplice[] {
  const { text, start } = entry
  const json = JSON.stringify(value)
  const span = spanOf(text, path, start)
  if (span) return text.slice(span.start, span.end) === json ? [] : [{ ...span, text: json }]
  const owner = spanOf(text, path.slice(0, -1), start)
  const key = path.at(-1)
  if (owner === undefined || key === undefined || text[owner.start] !== '{') return []
  const last = membersAt(text, owner.start).at(-1)
  const place = last?.end ?? owner.start + 1
  return [{ start: place, end: place, text: `${last ? ',' : ''}${JSON.stringify(key)}:${json}` }]
}

/** Where the content of an entry of this type stands: a context edit holds that of the entry it replaces. */
function contentPath(type: unknown): readonly string[] {
  if (type === 'context_edit') return ['replacement', 'content']
  if (type === 'custom_message') return ['content']
  if (type === 'compaction' || type === 'branch_summary') return ['summary']
  return ['message', 'content']
}

/** Edits of the content that stands in this entry; `result` is the recorded result they are about, if one. */
export function contentSplices(
  entry: EntryText,
  edits: readonly Edit[],
  result: ResultBlock | undefined,
): TextSplice[] {
  const path = contentPath(entry.value.type)
  const span = spanOf(entry.text, path, entry.start)
  const whole = wholeContent(edits, result)
  if (whole !== undefined) return span ? [{ ...span, text: whole }] : addedContent(entry, path, whole)
  if (span === undefined || edits.length === 0) return []
  const content = path.reduce<unknown>((value, key) => fieldsOf(value)?.[key], entry.value)
  if (Array.isArray(content)) return elementSplices(entry.text, span, content, edits)
  const text = edits.find((edit) => edit.kind === 'replace-text')
  return text ? [{ ...span, text: JSON.stringify(text.text) }] : []
}

function addedContent(entry: EntryText, path: readonly string[], json: string): TextSplice[] {
  return fieldSplice(entry, path, JSON.parse(json) as JsonValue)
}

/** The new content of an entry whose body changes as a whole: pi wants an array, whatever was recorded. */
function wholeContent(edits: readonly Edit[], result: ResultBlock | undefined): string | undefined {
  for (const edit of edits) {
    if (edit.kind === 'replace-result') return `[${textBlockJson(edit.text)}]`
    if (edit.kind === 'result-to-text' && result) return `[${textBlockJson(wordsOf(result))}]`
  }
  return undefined
}

function elementSplices(text: string, span: Span, content: readonly unknown[], edits: readonly Edit[]): TextSplice[] {
  const elements = elementsAt(text, span.start)
  const inner = new Map<number, TextSplice[]>()
  const leaving = new Set<number>()
  let order: readonly number[] | undefined
  for (const edit of edits) {
    const index = edit.at.block ?? 0
    const element = elements[index]
    switch (edit.kind) {
      case 'drop-block':
      case 'drop-exchange':
        leaving.add(index)
        break
      case 'strip-thinking':
        content.forEach((item, at) => {
          if (fieldsOf(item)?.type === 'thinking') leaving.add(at)
        })
        break
      case 'reorder':
        order = edit.order
        break
      case 'replace-text': {
        const words = element && spanOf(text, ['text'], element.start)
        if (words) inner.set(index, [{ ...words, text: JSON.stringify(edit.text) }])
        break
      }
      case 'fold-exchange':
        if (element) inner.set(index, [{ ...element, text: textBlockJson(edit.text) }])
        break
      case 'replace-media': {
        const at = edit.part === undefined ? index : partIndexes(content)[edit.part]
        const media = at === undefined ? undefined : elements[at]
        if (at !== undefined && media) inner.set(at, [{ ...media, text: textBlockJson(edit.text) }])
        break
      }
      case 'replace-arguments':
        if (element) inner.set(index, argumentSplices(text, element, edit))
        break
    }
  }
  if (order === undefined) {
    const kept = [...inner].filter(([index]) => !leaving.has(index)).flatMap(([, splices]) => splices)
    return [...kept, ...removeChildren(elements, (index) => leaving.has(index))]
  }
  return reordered(text, elements, inner, leaving, order)
}

function argumentSplices(text: string, element: Span, edit: EditOf<'replace-arguments'>): TextSplice[] {
  return edit.values.flatMap((change) => {
    const span = spanOf(text, ['arguments', ...change.path], element.start)
    return span ? [{ ...span, text: JSON.stringify(change.text) }] : []
  })
}

/** The elements in their new order, each as written; those that the order does not name come first, as in `apply`. */
function reordered(
  text: string,
  elements: readonly Span[],
  inner: ReadonlyMap<number, readonly TextSplice[]>,
  leaving: ReadonlySet<number>,
  order: readonly number[],
): TextSplice[] {
  const first = elements[0]
  const last = elements.at(-1)
  if (!first || !last) return []
  const pieces = elements
    .map((element, index) => ({ index, json: elementText(text, element, inner.get(index) ?? []) }))
    .filter(({ index }) => !leaving.has(index))
    .sort((a, b) => order.indexOf(a.index) - order.indexOf(b.index) || a.index - b.index)
  return [{ start: first.start, end: last.end, text: pieces.map(({ json }) => json).join(',') }]
}

function elementText(text: string, element: Span, splices: readonly TextSplice[]): string {
  const shifted = splices.map((splice) => ({
    ...splice,
    start: splice.start - element.start,
    end: splice.end - element.start,
  }))
  return spliceText(text.slice(element.start, element.end), shifted)
}

/**
 * What a result's edits change in its own entry beside the content: its flag, its role when it becomes words, and
 * the long strings in its details, which often hold the body a second time.
 */
export function resultSplices(entry: EntryText, edits: readonly Edit[]): TextSplice[] {
  return edits.flatMap((edit) => {
    if (edit.kind === 'result-to-text') return fieldSplice(entry, ['message', 'role'], 'user')
    if (edit.kind !== 'replace-result') return []
    const flag = edit.isError === undefined ? [] : fieldSplice(entry, ['message', 'isError'], edit.isError)
    return [...flag, ...detailSplices(entry, edit.text)]
  })
}

function detailSplices(entry: EntryText, pointer: string): TextSplice[] {
  const details = spanOf(entry.text, ['message', 'details'], entry.start)
  if (!details) return []
  return longStringsAt(entry.text, details.start, ARGUMENT_CHARS).map((span) => ({
    ...span,
    text: JSON.stringify(pointer),
  }))
}
