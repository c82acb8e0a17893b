/** How well a text answers a query: by what literally stands in it. */

export interface Fit {
  /** 0 to 1. */
  readonly score: number
  /** Every word stands there as a word of its own, in the same case. */
  readonly exact: boolean
  /** Where the rarest word found stands; 0 when none does. */
  readonly at: number
}

export interface SoughtWord {
  readonly literal: string
  /** Rare words weigh more. */
  readonly weight: number
}

/** How a word was found, best first; repetition only counts inside a step. */
const STEPS = { word: 0.75, part: 0.5, otherCase: 0.25, indexed: 0 }
const STEP_WIDTH = 0.25
/** So many occurrences are counted once one is a whole word; more say nothing new. */
const MOST_OCCURRENCES = 20
const WORD_CHARACTER = /[\p{L}\p{N}_]/u

/** A text without words to look for fits as well as any other. */
export function judge(text: string, words: readonly SoughtWord[]): Fit {
  if (words.length === 0) return { score: 1, exact: true, at: 0 }
  let lower: string | undefined
  let sum = 0
  let weights = 0
  let exact = true
  let best = { weight: -1, at: 0 }
  for (const { literal, weight } of words) {
    const found = occurrences(text, literal)
    let step = found.whole > 0 ? STEPS.word : STEPS.part
    let { count, at } = found
    if (count === 0) {
      lower ??= text.toLowerCase()
      const folded = occurrences(lower, literal.toLowerCase())
      count = folded.count
      at = Math.min(folded.at, text.length)
      step = count > 0 ? STEPS.otherCase : STEPS.indexed
    }
    exact &&= found.whole > 0
    if (at >= 0 && weight > best.weight) best = { weight, at }
    // Weights of words that are everywhere are near 0; each still counts a little.
    const share = weight + 0.01
    weights += share
    sum += share * (step + STEP_WIDTH * (count / (count + 3)))
  }
  return { score: sum / weights, exact, at: best.at }
}

function occurrences(text: string, literal: string): { count: number; whole: number; at: number } {
  let count = 0
  let whole = 0
  let first = -1
  for (let at = text.indexOf(literal); at !== -1; at = text.indexOf(literal, at + 1)) {
    if (count >= MOST_OCCURRENCES && whole > 0) break
    const isWhole = !continues(text, at - 1, literal[0]) && !continues(text, at + literal.length, literal.at(-1))
    // A whole word makes the better snippet than a part found before it.
    if (first < 0 || (isWhole && whole === 0)) first = at
    count++
    if (isWhole) whole++
  }
  return { count, whole, at: first }
}

/** A word goes on over its edge only where both sides are word characters. */
function continues(text: string, at: number, edge: string | undefined): boolean {
  return WORD_CHARACTER.test(text[at] ?? ' ') && WORD_CHARACTER.test(edge ?? ' ')
}
