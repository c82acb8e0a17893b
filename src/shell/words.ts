import type { DoubleQuotedChild, ParsedScript, Word, WordPart } from 'unbash'
import { expandBraces } from './braces.ts'
import { A_NAME, type Field, type Knowledge, literalField, NOTHING_KNOWN, UNKNOWN } from './fields.ts'
import { type Inquiry, refuse } from './inquiry.ts'
import { MOST_LOOP_WORDS } from './limits.ts'
import { arithmeticKnowledge, parameterKnowledge } from './parameters.ts'
import type { Scope } from './scope.ts'

/** Where a word stands: what is known there, and how to look into its substitutions. */
export interface Place {
  readonly inquiry: Inquiry
  readonly scope: Scope
  readonly depth: number
  /** Inside a test, which shows no value: a credential may be looked for. */
  readonly testing?: boolean
  /** Looks at the commands of `$(...)`, backticks or `<(...)`; tells what is known about their output. */
  readonly substitute: (script: ParsedScript, place: Place) => Knowledge
}

/** Longest text between braces that is expanded, in UTF-16 units. */
const MOST_BRACE_CHARACTERS = 1000
/** Control characters cannot come from the source, but `$'\x01'` makes them; what a shell does with NUL differs. */
const CONTROL = /[\u0000-\u0008\u000b-\u001f\u007f]/

/** The fields of one word: none when it vanishes, several when it splits. */
export function expandWord(word: Word, place: Place): Field[] {
  const fields: Field[] = []
  expandInto(fields, word, place)
  return fields
}

export function expandInto(fields: Field[], word: Word, place: Place): void {
  const { parts } = word
  if (parts === undefined) fields.push(literalField(word.value, word.text))
  else if (parts.length === 1 && parts[0]?.type === 'SingleQuoted') fields.push(literalField(parts[0].value, word.text))
  else if (parts.some(isBrace)) {
    for (const chosen of braceChoices(parts, word.text, place)) expandParts(fields, chosen, word.text, place)
  } else expandParts(fields, parts, word.text, place)
}

function isBrace(part: WordPart): boolean {
  return part.type === 'BraceExpansion'
}

/** A text in which every expansion is quoted: a here-document, the right side of an assignment. */
export function expandQuoted(parts: readonly WordPart[], source: string, place: Place): Field {
  const draft = new Draft(source)
  for (const part of parts) addPart(draft, part, place, true)
  return draft.close()
}

export function expandAssigned(word: Word, place: Place): Field {
  return word.parts === undefined ? literalField(word.value, word.text) : expandQuoted(word.parts, word.text, place)
}

/** A word under construction. It becomes several fields when a known value with blanks is split. */
class Draft {
  private readonly fields: Field[]
  text = ''
  known = true
  glob = false
  mayBeOption = false
  mayVary = false
  plain = true
  whole = true
  quoted = false
  alternatives: string[] | undefined
  readonly source: string

  constructor(source: string, fields: Field[] = []) {
    this.source = source
    this.fields = fields
  }

  add(text: string): void {
    this.text += text
    if (this.alternatives !== undefined) this.alternatives = this.alternatives.map((before) => before + text)
  }

  addUnknown(knowledge: Knowledge, quoted: boolean): void {
    const { values } = knowledge
    if (values !== undefined && values.length === 1) {
      this.addKnown(values[0] ?? '', quoted)
      return
    }
    const single = quoted || knowledge.whole
    if (single ? this.text === '' && !knowledge.dashFree : true) this.mayBeOption = true
    if (!single) this.mayVary = true
    if (!knowledge.numeric) this.plain = false
    if (!knowledge.whole) this.whole = false
    this.known = false
    if (values !== undefined) {
      const before = this.alternatives ?? [this.text]
      const after = before.flatMap((start) => values.map((value) => start + value))
      this.alternatives = after.length > MOST_LOOP_WORDS ? undefined : after
    } else if (this.alternatives !== undefined) {
      this.alternatives = this.alternatives.map((start) => start + UNKNOWN)
    }
    this.text += UNKNOWN
  }

  private addKnown(value: string, quoted: boolean): void {
    if (quoted) {
      this.add(value)
      return
    }
    if (/[*?[\\]/.test(value)) this.addGlob('')
    const pieces = value.split(/[ \t\n]+/)
    pieces.forEach((piece, at) => {
      if (at > 0) this.finish()
      if (/^[*?[]/.test(piece) && this.text === '') this.mayBeOption = true
      if (at > 0 && /[*?[\\]/.test(piece)) this.addGlob('')
      this.add(piece)
    })
  }

  addGlob(pattern: string): void {
    if (this.text === '' && pattern !== '') this.mayBeOption = true
    this.glob = true
    this.known = false
    this.add(pattern)
  }

  finish(): void {
    if (this.text !== '' || this.quoted) this.fields.push(this.close())
    this.text = ''
    this.known = true
    this.glob = false
    this.mayBeOption = false
    this.mayVary = false
    this.plain = true
    this.whole = true
    this.quoted = false
    this.alternatives = undefined
  }

  close(): Field {
    const { text, known, glob, mayBeOption, mayVary, plain, whole, alternatives, source } = this
    if (known && !mayBeOption) return literalField(text, source)
    return { text, known, glob, mayBeOption, mayVary, plain, whole, alternatives, source }
  }
}

function expandParts(fields: Field[], parts: readonly WordPart[], source: string, place: Place): void {
  const draft = new Draft(source, fields)
  for (const part of parts) addPart(draft, part, place, false)
  draft.finish()
}

function addPart(draft: Draft, part: WordPart | DoubleQuotedChild, place: Place, quoted: boolean): void {
  switch (part.type) {
    case 'Literal':
      draft.add(part.value)
      return
    case 'SingleQuoted':
      draft.quoted = true
      draft.add(part.value)
      return
    case 'AnsiCQuoted':
      draft.quoted = true
      if (CONTROL.test(part.value)) refuse(place.inquiry, 'control in quotes', part.text, 'holds control characters')
      draft.add(part.value)
      return
    case 'DoubleQuoted':
      draft.quoted = true
      for (const child of part.parts) addPart(draft, child, place, true)
      return
    case 'Glob':
      for (const inner of part.parts ?? []) {
        if (inner.type !== 'Literal') refuse(place.inquiry, 'unnamed expansion', part.text, 'expands inside a pattern')
      }
      draft.addGlob(part.text)
      return
    case 'SimpleExpansion':
      draft.addUnknown(parameterKnowledge(part, place), quoted)
      return
    case 'ParameterExpansion':
      draft.addUnknown(parameterKnowledge(part, place), quoted)
      return
    case 'ArithmeticExpansion':
      draft.addUnknown(arithmeticKnowledge(part, place), true)
      return
    case 'CommandExpansion':
      draft.addUnknown(
        part.script === undefined ? unreadable(part.text, place) : place.substitute(part.script, place),
        quoted,
      )
      return
    case 'ProcessSubstitution':
      if (part.operator === '>') {
        refuse(place.inquiry, 'output substitution', part.text, 'feeds a command from a pipe; use a plain `|`')
      }
      if (part.script === undefined) unreadable(part.text, place)
      else place.substitute(part.script, place)
      draft.addUnknown(A_NAME, true)
      return
    case 'BraceExpansion':
      draft.add(part.text)
      return
    default:
      refuse(
        place.inquiry,
        'unnamed expansion',
        part.text,
        'is an expansion that a glance may not use; write it out or single-quote it',
      )
      draft.addUnknown(NOTHING_KNOWN, false)
  }
}

function unreadable(text: string, place: Place): Knowledge {
  refuse(place.inquiry, 'syntax', text, 'cannot be read as Bash')
  return NOTHING_KNOWN
}

/** Bash expands braces before everything else: one list of parts for each combination. */
function braceChoices(parts: readonly WordPart[], source: string, place: Place): readonly (readonly WordPart[])[] {
  let results: WordPart[][] = [[]]
  for (const part of parts) {
    const choices: readonly WordPart[] = part.type === 'BraceExpansion' ? literalChoices(part.text, place) : [part]
    if (results.length * choices.length > MOST_LOOP_WORDS) {
      refuse(place.inquiry, 'brace words', source, `expands to more than ${MOST_LOOP_WORDS} words`)
      return [[...parts]]
    }
    results = results.flatMap((result) => choices.map((choice) => [...result, choice]))
  }
  return results
}

function literalChoices(text: string, place: Place): readonly WordPart[] {
  const readable = text.length <= MOST_BRACE_CHARACTERS && !/[$`'"\\]/.test(text)
  const choices = readable ? expandBraces(text) : undefined
  if (choices === undefined) {
    const why = readable
      ? `expands to more than ${MOST_LOOP_WORDS} words`
      : 'puts quotes or expansions into braces; write the words out'
    refuse(place.inquiry, 'brace words', text, why)
    return [literalPart(text)]
  }
  return choices.map((choice) =>
    /[*?[]/.test(choice)
      ? { type: 'Glob', kind: 'star', pos: 0, end: 0, text: choice, value: choice }
      : literalPart(choice),
  )
}

function literalPart(value: string): WordPart {
  return { type: 'Literal', pos: 0, end: 0, value, text: value }
}
