/** A fork: the same session under a new id beside the original, with what belongs to it in its own folder. */
import { copyFileSync, mkdirSync, readdirSync, renameSync, rmSync, statSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { lineSplitter } from '../formats/lines.ts'
import { sessionName } from '../formats/places.ts'
import { sessionRenamer } from '../formats/session-id.ts'
import { openSource } from './source.ts'
import { stageFile, temporaryName } from './staged-file.ts'

const FOLDER_MODE = 0o700

/** The fork's file: the original's name with the new id in place of the old one, never compressed (harnesses read plain files). */
export function forkedFile(file: string, from: string, to: string): string {
  const name = sessionName(basename(file))
  const at = placeOf(name, from)
  const forked = at < 0 ? to : name.slice(0, at) + to + name.slice(at + from.length)
  return join(dirname(file), `${forked}.jsonl`)
}

/** Where the id stands as a whole word in the name: a short or empty one is found in any. */
function placeOf(name: string, id: string): number {
  const isWordEnd = (character: string | undefined): boolean =>
    character === undefined || /[^\p{L}\p{N}]/u.test(character)
  const at = id === '' ? -1 : name.indexOf(id)
  return at >= 0 && isWordEnd(name[at - 1]) && isWordEnd(name[at + id.length]) ? at : -1
}

/**
 * Copies the session's folder (`<id>/subagents`, `<id>/tool-results`) to the fork's, the id in the subagents' lines
 * rewritten. The folder appears whole or not at all; it comes before the transcript that refers to it.
 */
export async function copyCompanions(file: string, forked: string, format: string, id: string): Promise<void> {
  const own = join(dirname(file), sessionName(basename(file)))
  if (!statSync(own, { throwIfNoEntry: false })?.isDirectory()) return
  const temporary = join(dirname(file), temporaryName())
  try {
    await copyFolder(own, temporary, format, id)
    renameSync(temporary, join(dirname(forked), sessionName(basename(forked))))
  } catch (error) {
    rmSync(temporary, { recursive: true, force: true })
    throw error
  }
}

async function copyFolder(source: string, target: string, format: string, id: string): Promise<void> {
  mkdirSync(target, { mode: FOLDER_MODE })
  for (const entry of readdirSync(source, { withFileTypes: true })) {
    const [path, copy] = [join(source, entry.name), join(target, entry.name)]
    if (entry.isDirectory()) await copyFolder(path, copy, format, id)
    else if (entry.isFile() && entry.name.endsWith('.jsonl')) await copyRenamed(path, copy, format, id)
    else if (entry.isFile()) copyFileSync(path, copy)
  }
}

async function copyRenamed(path: string, copy: string, format: string, id: string): Promise<void> {
  const source = await openSource(path)
  async function* renamed(): AsyncGenerator<Buffer> {
    const renamer = sessionRenamer(format, id)
    const splitter = lineSplitter()
    for await (const chunk of source.chunks()) yield Buffer.concat(splitter.push(chunk).map(renamer.push))
    yield Buffer.concat(splitter.finish().map(renamer.push))
  }
  const staged = await stageFile(copy, renamed(), source.state?.mode)
  renameSync(staged.temporary, copy)
}
