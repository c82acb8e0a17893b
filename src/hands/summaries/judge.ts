/** Is a summary as good as the digest in whose place it would stand? What cannot be checked is left to the digest. */
import type { TaskRecord } from '../../core/tasks/index.ts'
import type { Summary } from './answer.ts'
import { repeatedInstruction } from './injection.ts'

/** Where the words of a summary may come from. */
export interface Sources {
  readonly brief: string
  readonly report: string
  readonly digest: TaskRecord
}

/** What can be looked up beside numbers: code, addresses, paths, file names. */
const NAMES = /`[^`]+`|https?:\/\/[^\s"')]+|[\w@~.-]*\/[\w@./-]+|\b[\w-]{2,}\.[A-Za-z]\w{0,4}\b/g
const NUMBERS = /\d+(?:[.,]\d+)*/g

/** Why it is refused; undefined for a summary that may stand. */
export function faultOf(summary: Summary, sources: Sources): string | undefined {
  const { digest, report } = sources
  if (summary.outcome.toLowerCase() !== digest.outcome.toLowerCase()) {
    return `its outcome is not that of the task, which is "${digest.outcome}"`
  }
  const files = filesFault(summary, digest)
  if (files !== undefined) return files
  if (digest.errors.length > 0 && summary.errors.length === 0) return 'it leaves out that there were errors'
  const words = wordsOf(summary)
  return repeatedInstruction(words, report) ?? inventedIn(words, sources)
}

function filesFault(summary: Summary, digest: TaskRecord): string | undefined {
  for (const kind of ['filesAdded', 'filesChanged'] as const) {
    const missing = digest[kind].find((file) => !summary[kind].includes(file))
    if (missing !== undefined) return `${kind} does not name ${missing}`
    const wrong = summary[kind].find((file) => !digest[kind].includes(file))
    if (wrong !== undefined) return `${kind} names ${wrong}, which nothing tells of`
  }
  return undefined
}

/** One line each, so that a sentence of the report is found again wherever it went. */
function wordsOf({ task, result, errors, triedAndFailed, toRemember }: Summary): string {
  return [task, result, ...errors, ...triedAndFailed, ...toRemember].join('\n')
}

function inventedIn(words: string, { brief, report, digest }: Sources): string | undefined {
  const told = [brief, report, JSON.stringify(digest)].join('\n')
  const numbers = new Set(numbersIn(told))
  const names = comparable(told)
  const invented =
    (words.match(NAMES) ?? []).find((name) => !names.includes(comparable(name))) ??
    numbersIn(words).find((number) => !numbers.has(number))
  return invented === undefined ? undefined : `it names ${invented}, which nothing tells of`
}

function numbersIn(text: string): string[] {
  return (text.match(NUMBERS) ?? []).map((number) => number.replaceAll(',', ''))
}

function comparable(text: string): string {
  return text.toLowerCase().replace(/`|[.,:;]+(?=\s|$)/g, '')
}
