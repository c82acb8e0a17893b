/**
 * Is what came back the end of the work? A status of "ok" does not prove it: completions have been announced at a
 * worker's own compaction, or with the body cut off (reference/openclaw-and-pi.md section 7: #74448, #79285, #76412).
 */
import type { Transcript } from '../transcript.ts'

/** Announcements have been cut to about this many characters. */
const CUT_CHARS = { fewest: 78, most: 81 }
const ENDS_A_SENTENCE = /[.!?)\]}"'`*|…>✅✓✔]\s*$/u
/** What a worker says when it goes on: at the end of its last line, or as that line's opening. */
const GOES_ON = /(?::|\bcontinuing\b[.…!]*|\bstill (?:running|working|in progress)\b[.…!]*|\.\.\.|…)$/i
const OPENS_NEXT =
  /^(?:let me|now let|now (?:i|i'll)|next,? i|i(?:'ll| will) (?:now|next|continue|proceed)|continuing)\b/i
/** `250/486 boards (~51%)`: counted, and not at the end. */
const PROGRESS = /\b(\d{1,9})\s?\/\s?(\d{1,9})\b/

/** Does this report end while its worker was still at it? */
export function endsMidWork(report: string): boolean {
  const words = report.trim()
  if (words.length >= CUT_CHARS.fewest && words.length <= CUT_CHARS.most && isCut(words)) return true
  const line = lastLine(words)
  if (GOES_ON.test(line) || OPENS_NEXT.test(line)) return true
  const progress = PROGRESS.exec(line)
  return progress !== null && Number(progress[1]) < Number(progress[2]) && /\bcontinu/i.test(line)
}

/** One line that stops in the middle of a sentence. */
function isCut(words: string): boolean {
  return !words.includes('\n') && !ENDS_A_SENTENCE.test(words)
}

function lastLine(words: string): string {
  const line = words.slice(words.lastIndexOf('\n') + 1)
  // From the beginning of a row of marks only, so that each row is looked at once.
  return line.replace(/(?<![*_`])[*_`]+$/, '').trim()
}

/** The last words of a worker's own thread; undefined where it did not end with words. */
export function finalWords(child: Transcript): string | undefined {
  const last = child.messages.findLast((message) => message.kind !== 'reminder' && message.kind !== 'api-error')
  if (last?.role !== 'assistant' || last.blocks.some((block) => block.type === 'call')) return undefined
  const words = last.blocks.flatMap((block) => (block.type === 'text' ? [block.text] : [])).join('\n')
  return words.trim() === '' ? undefined : words.trim()
}

/** The recorded report, or the worker's own last words where the report is the beginning of them. */
export function wholeReport(report: string | undefined, child: Transcript | undefined): string | undefined {
  const words = child && finalWords(child)
  if (words === undefined) return report
  if (report === undefined) return words
  const beginning = report.replace(/(?:\.\.\.|…)$/, '').trim()
  return words.length > report.length && words.startsWith(beginning) ? words : report
}
