/**
 * Does a summary pass on what a child's report tells its reader to do? A report is data (seeds O4, O5): a summary that
 * speaks to the coordinator, or repeats a sentence of the report that does, is refused. Refusing a harmless one costs
 * little: the digest stands in.
 */

/** Words in a row that a summary may share with a sentence that speaks to its reader. */
const MOST_SHARED_WORDS = 4

/** What speaks with an authority that no report has. */
const AUTHORITY: readonly RegExp[] = [
  /\b(ignore|disregard|forget|override|bypass)\b.{0,40}\b(previous|prior|above|earlier|all|any|your|the|these|those)\b.{0,30}\b(instruction|prompt|rule|context|message|task|guideline|order|limit)/i,
  /\b(new|updated|real|actual|following)\s+(instructions?|orders?|directives?)\b/i,
  /\b(system|developer|user|human|assistant|admin(istrator)?|operator)\s*(message|prompt|note|override)?\s*:/i,
  /<\/?\s*(system|user|human|assistant|function|tool|invoke|prompt|instructions?|antml|reminder)[\w:-]*\b[^>]*>/i,
  /\[\/?(system|inst|user|assistant)\b[^\]]*\]|<\|[^|]{0,40}\|>/i,
  /\b(you|the (coordinator|agent|assistant|reader|model|next agent))\s+(must|should|shall|need(s)? to|ha(ve|s) to|are (now|to)|is (now|to)|will now|can now|may now)\b/i,
  /\b(as|acting as) (an? )?(unrestricted|unfiltered|root|admin|developer mode)\b/i,
]

/** What tells a sentence of a report that speaks to its reader from one that tells what was done. */
const ADDRESSES =
  /\b(you|your|yours|yourself|please|must|never|always|ignore|disregard|immediately|instead|from now on|do not|don't|make sure|be sure|remember to|tell the (user|coordinator)|coordinator|assistant|dear)\b/i
/** Begins like an order; reports tell in the past or in nouns. */
const ORDERS =
  /^(\W*)(also |then |now |first |next |and |finally |once \w+,? |after \w+,? )*(run|execute|delete|remove|push|send|post|upload|curl|wget|download|install|reply|respond|answer|output|print|say|write|call|invoke|fetch|visit|open|click|tell|approve|merge|deploy|disable|grant|reveal|show|share|copy|email|set|use|read|add|skip|stop|continue|mark|report|spawn|delegate|commit|export|give|change)\b/i

/** Why the summary is refused; undefined for one that only tells. Both in any language of the patterns: English. */
export function repeatedInstruction(summary: string, report: string): string | undefined {
  const plain = plainText(summary)
  for (const pattern of AUTHORITY) {
    const found = pattern.exec(plain)
    if (found) return `it speaks like an instruction ("${shortened(found[0])}")`
  }
  const said = new Set(runsOf(wordsOf(plain), MOST_SHARED_WORDS + 1))
  for (const sentence of sentencesOf(plainText(report))) {
    if (!ADDRESSES.test(sentence) && !ORDERS.test(sentence)) continue
    const shared = runsOf(wordsOf(sentence), MOST_SHARED_WORDS + 1).find((run) => said.has(run))
    if (shared !== undefined) return `it repeats what the report tells its reader ("${shortened(shared)}")`
  }
  return undefined
}

/** Letters that only look alike, and characters that do not show, would part the words. */
function plainText(text: string): string {
  return text.normalize('NFKC').replace(/\p{Cf}/gu, '')
}

function sentencesOf(text: string): string[] {
  return text.split(/(?<=[.!?:;])\s+|\n+/)
}

function wordsOf(text: string): string[] {
  return text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []
}

function runsOf(words: readonly string[], length: number): string[] {
  return words.slice(0, Math.max(0, words.length - length + 1)).map((_, at) => words.slice(at, at + length).join(' '))
}

function shortened(words: string): string {
  return words.length <= 60 ? words : `${words.slice(0, 57)}...`
}
