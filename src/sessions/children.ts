/**
 * The threads of a session's workers that are at hand: inline in its own file, in Claude Code's `subagents` folder, or
 * in OpenClaw's store or session folder.
 */
import { basename, dirname, join } from 'node:path'
import { SpillwayError } from '../core/errors.ts'
import type { ChildThread } from '../core/tasks/index.ts'
import {
  addressWords,
  type ChildSession,
  childrenInRegistry,
  childrenInStore,
  REGISTRY_NAME,
} from '../formats/openclaw-store/index.ts'
import { sessionName } from '../formats/places.ts'
import { isPlainFile, readPlainFile } from './plain-file.ts'
import { type Reading, readSession } from './read.ts'
import { subagentsOf } from './select.ts'
import { openSource, STDIN } from './source.ts'

interface ChildFile {
  readonly ids: readonly string[]
  readonly file: string
}

/**
 * @param onProblem hears of a child that cannot be read; it counts as not at hand
 */
export async function childThreads(
  reading: Reading,
  onProblem: (problem: SpillwayError) => void = () => {},
): Promise<ChildThread[]> {
  const inline = reading.session.others.map((transcript) => ({ ids: [transcript.thread], transcript }))
  const children: ChildThread[] = []
  for (const { ids, file } of childFiles(reading)) {
    try {
      const { session } = await readSession(await openSource(file))
      children.push({ ids, transcript: session.main })
    } catch (error) {
      if (!(error instanceof SpillwayError)) throw error
      onProblem(error)
    }
  }
  // A file of its own holds more than the copies in the main file.
  const known = new Set(children.flatMap(({ ids }) => ids))
  return [...children, ...inline.filter(({ ids }) => !ids.some((id) => known.has(id)))]
}

function childFiles({ source, session, format }: Reading): ChildFile[] {
  const { file, store } = source
  if (file === STDIN) return []
  if (store) {
    return childrenInStore(store).map((child) => ({
      ids: idsOf(child),
      file: addressWords({ database: store.database, session: child.session }),
    }))
  }
  if (format.name === 'claude-code') {
    return subagentsOf(file).map((path) => ({ ids: [sessionName(basename(path)).replace(/^agent-/, '')], file: path }))
  }
  const registry = join(dirname(file), REGISTRY_NAME)
  if (!isPlainFile(registry)) return []
  const text = readPlainFile(registry).toString('utf8')
  return childrenInRegistry(text, session.facts.id ?? source.name).flatMap((child) => {
    // A list may name anything; transcripts stand beside it.
    if (basename(child.session) !== child.session) return []
    const names = [`${child.session}.jsonl`, `${child.session}.jsonl.gz`]
    const path = names.map((name) => join(dirname(file), name)).find(isPlainFile)
    return path === undefined ? [] : [{ ids: idsOf(child), file: path }]
  })
}

function idsOf({ key, session }: ChildSession): string[] {
  return [key, session]
}
