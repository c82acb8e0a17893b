/** A changed entry as splices of its line: every other character stays as it was written. */
import type { Block, CallBlock, JsonValue, ResultBlock } from '../../core/transcript.ts'
import { argumentsWith, changedStrings } from '../arguments.ts'
import { type Fields, fieldsOf } from '../fields.ts'
import { elementsAt, type JsonPath, type Span, spanOf, type TextSplice } from '../json-spans.ts'
import { answerText, userText } from '../responses/made-items.ts'
import { summaryPaths } from './entry.ts'
import type { EntryChange } from './plan.ts'

/** One entry inside its line's text. */
export interface EntryText {
  readonly text: string
  /** Where the entry's object starts in `text`. */
  readonly start: number
  readonly value: Fields
}

export function changeSplices(entry: EntryText, { before, after }: EntryChange): TextSplice[] {
  const payload = fieldsOf(entry.value.payload) ?? {}
  if (entry.value.type === 'compacted') return summarySplices(entry, payload, before, after)
  const [was] = before
  const [is] = after
  const at = (path: JsonPath, value: JsonValue): TextSplice[] => {
    const span = spanOf(entry.text, ['payload', ...path], entry.start)
    return span ? [{ ...span, text: JSON.stringify(value) }] : []
  }
  if (was?.type === 'call') {
    if (is?.type === 'text') return at([], answerText(is.text))
    return is?.type === 'call' ? callSplices(payload, was, is, at) : []
  }
  if (was?.type === 'result') {
    if (is?.type === 'text') return at([], userText(is.text))
    return is?.type === 'result' ? resultSplices(entry, payload, was, is, at) : []
  }
  const content = spanOf(entry.text, ['payload', 'content'], entry.start)
  if (!content) return []
  if (!Array.isArray(payload.content)) return is?.type === 'text' ? at(['content'], is.text) : []
  const type = payload.role === 'assistant' ? 'output_text' : 'input_text'
  return partSplices(entry.text, elementsAt(entry.text, content.start), before, after, type)
}

/** Words inside what a compaction put in place of the history; nothing of it ever leaves. */
function summarySplices(
  entry: EntryText,
  payload: Fields,
  before: readonly Block[],
  after: readonly Block[],
): TextSplice[] {
  const paths = summaryPaths(payload)
  return after.flatMap((block) => {
    const path = paths[block.at.block ?? 0]
    if (before.includes(block) || block.type !== 'text' || !path) return []
    const span = spanOf(entry.text, ['payload', ...path], entry.start)
    return span ? [{ ...span, text: JSON.stringify(block.text) }] : []
  })
}

type Setter = (path: JsonPath, value: JsonValue) => TextSplice[]

function callSplices(payload: Fields, was: CallBlock, is: CallBlock, at: Setter): TextSplice[] {
  if (payload.type === 'custom_tool_call') return at(['input'], is.input.input ?? '')
  if (payload.type === 'local_shell_call') {
    return changedStrings(was.input, is.input).flatMap(({ path, text }) => at(['action', ...path], text))
  }
  return at(['arguments'], argumentsWith(payload.arguments as JsonValue, was.input, is.input))
}

function resultSplices(entry: EntryText, payload: Fields, was: ResultBlock, is: ResultBlock, at: Setter): TextSplice[] {
  const texts = is.parts.map((part) => (part.type === 'text' ? part.text : ''))
  if (!Array.isArray(payload.output)) return at(['output'], texts[0] ?? '')
  if (is.parts.length !== was.parts.length) {
    return at(
      ['output'],
      texts.map((text) => ({ type: 'input_text', text })),
    )
  }
  const elements = elementsAt(entry.text, spanOf(entry.text, ['payload', 'output'], entry.start)?.start ?? entry.start)
  return elements.flatMap((element, index) => {
    const isSame = is.parts[index] === was.parts[index]
    return isSame ? [] : [{ ...element, text: JSON.stringify({ type: 'input_text', text: texts[index] ?? '' }) }]
  })
}

/** The parts of a message, each as written unless it changed, in their new order. */
function partSplices(
  text: string,
  elements: readonly Span[],
  before: readonly Block[],
  after: readonly Block[],
  type: string,
): TextSplice[] {
  const first = elements[0]
  const last = elements.at(-1)
  if (!first || !last) return []
  const pieces = after.map((block) => {
    const element = elements[block.at.block ?? 0]
    const own = element ? text.slice(element.start, element.end) : ''
    if (before.includes(block) || block.type !== 'text') return own
    const words = element && spanOf(text, ['text'], element.start)
    if (!element || !words) return JSON.stringify({ type, text: block.text })
    return text.slice(element.start, words.start) + JSON.stringify(block.text) + text.slice(words.end, element.end)
  })
  return [{ start: first.start, end: last.end, text: pieces.join(',') }]
}
