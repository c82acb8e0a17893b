/** Stands for a stretch of text that only the shell will know; control characters never come from the source. */
export const UNKNOWN = '\u0000'

/** One word as the program will see it, after the shell's expansions. */
export interface Field {
  /** The text, with `UNKNOWN` for each stretch that is not known. */
  readonly text: string
  /** The text is exact. */
  readonly known: boolean
  /** The word may turn out to begin with a dash, or to hold further words that do. */
  readonly mayBeOption: boolean
  /** The word may turn out to be no word, or several. */
  readonly mayVary: boolean
  /** The word is a pattern for file names, so it may be several words. */
  readonly glob: boolean
  /** Every text the word may have, when they are few and known. */
  readonly alternatives: readonly string[] | undefined
  /** The unknown stretches are whole numbers: they cannot hold code. */
  readonly plain: boolean
  /** The unknown stretches hold no blank and no pattern character. */
  readonly whole: boolean
  /** The word as written, for reasons. */
  readonly source: string
}

/** A word without expansions. Most words are, so that what they share is held once, by the prototype. */
class LiteralField implements Field {
  declare readonly known: boolean
  declare readonly mayBeOption: boolean
  declare readonly mayVary: boolean
  declare readonly glob: boolean
  declare readonly alternatives: readonly string[] | undefined
  declare readonly plain: boolean
  declare readonly whole: boolean
  readonly text: string
  readonly source: string

  constructor(text: string, source: string) {
    this.text = text
    this.source = source
  }
}
Object.assign(LiteralField.prototype, {
  known: true,
  mayBeOption: false,
  mayVary: false,
  glob: false,
  alternatives: undefined,
  plain: true,
  whole: true,
})

export function literalField(text: string, source = text): Field {
  return new LiteralField(text, source)
}

/** The same word with another text: its end, or itself behind a fixed beginning. */
export function withText(field: Field, text: string): Field {
  const { known, mayVary, glob, plain, whole, source } = field
  if (known) return new LiteralField(text, source)
  // The text is a part of the old one, and so is each text it may have.
  const cut = field.text.length - text.length
  const alternatives = cut > 0 ? field.alternatives?.map((one) => one.slice(cut)) : undefined
  return { text, known, mayBeOption: false, mayVary, glob, alternatives, plain, whole, source }
}

/** What is known about the value of a variable or the output of a substitution. */
export interface Knowledge {
  /** All values it may have, when they are known. */
  readonly values: readonly string[] | undefined
  /** No line of it begins with a dash. */
  readonly dashFree: boolean
  /** It holds no blank and no pattern character. */
  readonly whole: boolean
  /** A whole number. */
  readonly numeric: boolean
}

export const NOTHING_KNOWN: Knowledge = { values: undefined, dashFree: false, whole: false, numeric: false }
export const A_NUMBER: Knowledge = { values: undefined, dashFree: true, whole: true, numeric: true }
export const A_NAME: Knowledge = { values: undefined, dashFree: true, whole: true, numeric: false }

const SPLITS_OR_MATCHES = /[\s*?[\\]/

export function knownValues(values: readonly string[]): Knowledge {
  return {
    values,
    dashFree: values.every((value) => !/(^|\s)-/.test(value)),
    whole: values.every((value) => value !== '' && !SPLITS_OR_MATCHES.test(value)),
    numeric: values.every((value) => /^\d{1,15}$/.test(value)),
  }
}
