/** How well a text answers a query: by what literally stands in it. */

export interface Fit {
  /** 0 to 1. */
  readonly score: number
  /** Every word stands there between blanks, in the same case: it cannot be found better. */
  readonly apart: boolean
  /** Every word stands there as a word of its own, in the same case. */
  readonly whole: boolean
  /** Where the rarest word found stands; 0 when none does. */
  readonly at: number
}

export interface SoughtWord {
  readonly literal: string
  /** Rare words weigh more. */
  readonly weight: number
}

/** How a word was found, best first; repetition only counts inside a step. */
const STEPS = { apart: 0.85, whole: 0.7, run: 0.55, part: 0.4, otherCase: 0.25, missing: 0 }
const STEP_WIDTH = 0.15
/** So many occurrences are counted once one is between blanks; more say nothing new. */
const MOST_OCCURRENCES = 20
const WORD_CHARACTER = /[\p{L}\p{N}_]/u
const LETTER = /\p{L}/u
const DIGIT = /\p{N}/u
const BLANK = /\s/

/** Words that stand together as they were asked for count twice: once each, once as a whole. */
export function judge(text: string, words: readonly SoughtWord[]): Fit {
  const each = judgeEach(text, words)
  if (words.length < 2) return each
  const together = judgeEach(text, [{ literal: words.map((word) => word.literal).join(' '), weight: 1 }])
  return {
    score: (each.score + together.score) / 2,
    apart: each.apart && together.apart,
    whole: each.whole,
    at: together.score > 0 ? together.at : each.at,
  }
}

/** A text without words to look for fits as well as any other. */
function judgeEach(text: string, words: readonly SoughtWord[]): Fit {
  if (words.length === 0) return { score: 1, apart: true, whole: true, at: 0 }
  let lower: string | undefined
  let sum = 0
  let weights = 0
  let apart = true
  let whole = true
  let best = { weight: -1, at: 0 }
  for (const { literal, weight } of words) {
    let found = occurrences(text, literal)
    apart &&= found.step === STEPS.apart
    whole &&= found.step >= STEPS.whole
    if (found.count === 0) {
      lower ??= text.toLowerCase()
      found = occurrences(lower, literal.toLowerCase())
      found = { ...found, step: Math.min(found.step, STEPS.otherCase), at: Math.min(found.at, text.length) }
    }
    if (found.count > 0 && weight > best.weight) best = { weight, at: found.at }
    // Weights of words that are everywhere are near 0; each still counts a little.
    const share = weight + 0.01
    weights += share
    sum += share * (found.step + STEP_WIDTH * (found.count / (found.count + 3)))
  }
  return { score: sum / weights, apart, whole, at: best.at }
}

/** `at` is the first of the best occurrences. */
function occurrences(text: string, literal: string): { count: number; step: number; at: number } {
  let count = 0
  let best: { step: number; at: number } = { step: STEPS.missing, at: 0 }
  for (let at = text.indexOf(literal); at !== -1; at = text.indexOf(literal, at + 1)) {
    if (count >= MOST_OCCURRENCES && best.step === STEPS.apart) break
    count++
    const step = stepOf(text[at - 1], literal, text[at + literal.length])
    if (step > best.step) best = { step, at }
  }
  return { count, ...best }
}

function stepOf(before = ' ', literal: string, after = ' '): number {
  if (BLANK.test(before) && BLANK.test(after)) return STEPS.apart
  const isInside = (kind: RegExp) => continues(kind, before, literal[0]) || continues(kind, literal.at(-1), after)
  if (!isInside(WORD_CHARACTER)) return STEPS.whole
  // "user" in "get_user2" is a run of its own, in "superuser" it is not.
  return isInside(LETTER) || isInside(DIGIT) ? STEPS.part : STEPS.run
}

/** A word goes on over its edge only where both sides are of its kind. */
function continues(kind: RegExp, one = ' ', other = ' '): boolean {
  return kind.test(one) && kind.test(other)
}
