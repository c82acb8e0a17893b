/** What a worker did, from its own calls where they are readable: files made and changed, commands that failed. */
import { targetOf } from '../removed.ts'
import type { Exchange, JsonObject, Transcript } from '../transcript.ts'
import { exchangesOf } from '../transcript.ts'
import { wordsOf } from './spawn-errors.ts'

export interface WorkerFacts {
  readonly filesAdded: readonly string[]
  readonly filesChanged: readonly string[]
  /** `<command>: <first line of what it said>` */
  readonly failures: readonly string[]
}

const WRITES = /^(?:write|create|create_file|write_file|notebookwrite)$/i
const EDITS = /^(?:edit|multiedit|notebookedit|edit_file|str_replace|str_replace_editor|str_replace_based_edit_tool)$/i
const PATCHES = /^apply_patch$/i
const PATCHED = /^\*\*\* (Add|Update|Delete) File: (.{1,300})$/gm
const EXIT = /(?:exit(?:ed with)? code|exit status):? ([1-9]\d{0,2})\b/i
const MOST_COMMAND_CHARS = 60
const MOST_LINES_READ = 400

export function workerFacts(child: Transcript): WorkerFacts {
  const files = new Files()
  const failures: string[] = []
  for (const exchange of exchangesOf(child)) {
    const failed = failureOf(exchange)
    if (failed !== undefined && child.tools.shells.has(exchange.call.tool)) failures.push(failed)
    if (failed === undefined) files.note(exchange.call.tool, exchange.call.input)
  }
  return { ...files.found(), failures }
}

/** Older Claude Code lists a worker's calls in the answer to a poll: `[Tool: Edit] {"file_path":"…"}`. */
export function listedFacts(report: string): WorkerFacts {
  const files = new Files()
  for (const [, tool, json] of report.matchAll(/^\[Tool: (\w{1,60})\] (\{[^\n]{0,4000}\})$/gm)) {
    const input = objectIn(json ?? '')
    if (input) files.note(tool ?? '', input)
  }
  return { ...files.found(), failures: [] }
}

function objectIn(json: string): JsonObject | undefined {
  try {
    return JSON.parse(json) as JsonObject
  } catch {
    return undefined // cut off in the recording
  }
}

/** A file that was written and never changed before is new, as far as the calls tell. */
class Files {
  private readonly added = new Set<string>()
  private readonly changed = new Set<string>()
  private readonly seen = new Set<string>()

  note(tool: string, input: JsonObject): void {
    if (PATCHES.test(tool)) {
      for (const [, how, path] of JSON.stringify(input).replaceAll('\\n', '\n').matchAll(PATCHED)) {
        this.put(how === 'Add', path ?? '')
      }
      return
    }
    const path = [input.file_path, input.path, input.notebook_path].find((value) => typeof value === 'string')
    if (typeof path !== 'string' || path === '') return
    if (WRITES.test(tool)) this.put(!this.seen.has(path), path)
    else if (EDITS.test(tool)) this.put(false, path)
    this.seen.add(path)
  }

  found(): { filesAdded: string[]; filesChanged: string[] } {
    return { filesAdded: [...this.added], filesChanged: [...this.changed] }
  }

  private put(isNew: boolean, path: string): void {
    if (isNew && !this.changed.has(path)) this.added.add(path)
    else if (!this.added.has(path)) this.changed.add(path)
  }
}

function failureOf({ call, result }: Exchange): string | undefined {
  if (!result) return undefined
  const words = wordsOf(result)
  const exit = result.isError ? null : EXIT.exec(words.slice(-200))
  if (!result.isError && !exit) return undefined
  const lines = words.split('\n', MOST_LINES_READ).map((each) => each.replace(/^[=\-_#*>\s]+/, ''))
  const line = lines.find((each) => /error|fail|fatal|exception/i.test(each)) ?? lines[0]
  const command = (targetOf(call) ?? call.tool).split('\n', 1)[0] ?? ''
  return `${command.slice(0, MOST_COMMAND_CHARS)}: ${(line ?? '').trim()}`
}
