/** Brings together what is put back after an eviction: from the caller, from the messages, and from disk as it is now. */
import { type FileHandle, open, realpath } from 'node:fs/promises'
import { isAbsolute, relative, resolve } from 'node:path'
import type { NoteSection } from '../planning/budget/index.ts'
import { readNote } from '../planning/budget/index.ts'
import type { Found } from './found.ts'
import type { EditedFile, PutBack, TodoItem } from './put-back.ts'

export const HEADINGS = {
  summary: 'Summary of what left',
  task: 'The task, word for word',
  todos: 'Todo list',
  plan: 'Plan',
  rules: 'What the user said since, word for word',
  file: 'File being edited, as it is on disk now',
} as const

const TASK_ABOVE = 'It stands unchanged as the first message of the user.'
const RULES_ABOVE = 'The messages of the user stand unchanged above.'

export interface Gathering {
  readonly putBack: PutBack
  readonly found: Found
  /** Files are read only inside it. */
  readonly folder: string
  /** Text of the note that the new one takes the place of: what is not found any more is taken from it. */
  readonly earlier?: string
}

/** In the order in which they are read. */
export async function gather({ putBack, found, folder, earlier }: Gathering): Promise<NoteSection[]> {
  const before = earlier === undefined ? undefined : readNote(earlier)?.sections
  const sections: NoteSection[] = []
  const add = (heading: string, body: string | undefined, otherwise?: string): void => {
    const kept = body ?? before?.get(heading)
    if (kept !== undefined && kept.trim() !== '') {
      sections.push({ heading, body: kept, ...(otherwise === undefined ? {} : { otherwise }) })
    }
  }
  if (putBack.task !== false) add(HEADINGS.task, putBack.task ? await putBack.task() : found.task, TASK_ABOVE)
  if (putBack.rules !== false) {
    const rules = putBack.rules ? await putBack.rules() : found.rules
    add(HEADINGS.rules, typeof rules === 'string' ? rules : rules?.map((rule) => `- ${rule}`).join('\n'), RULES_ABOVE)
  }
  if (putBack.plan !== false) add(HEADINGS.plan, putBack.plan ? await putBack.plan() : await foundPlan(found, folder))
  if (putBack.todos !== false) {
    const todos = putBack.todos ? await putBack.todos() : found.todos
    add(HEADINGS.todos, typeof todos === 'string' ? todos : todos && listed(todos))
  }
  if (putBack.file !== false) {
    const given = putBack.file ? await putBack.file() : found.file
    const file = given === undefined ? undefined : await withContent(given, folder)
    const heading = [...(before?.keys() ?? [])].find((name) => name.startsWith(HEADINGS.file))
    const path = file?.path ?? heading?.slice(HEADINGS.file.length + 2)
    const read = file ?? (path === undefined ? undefined : await withContent(path, folder))
    if (read?.content !== undefined) sections.push({ heading: `${HEADINGS.file}: ${read.path}`, body: read.content })
  }
  return sections
}

function listed(todos: readonly TodoItem[]): string {
  return todos.map(({ text, status }) => `- [${status}] ${text}`).join('\n')
}

async function foundPlan({ plan }: Found, folder: string): Promise<string | undefined> {
  if (!plan) return undefined
  return 'text' in plan ? plan.text : (await withContent(plan.path, folder)).content
}

async function withContent(given: EditedFile | string, folder: string): Promise<EditedFile> {
  const file: EditedFile = typeof given === 'string' ? { path: given } : given
  if (file.content !== undefined) return file
  const content = await textAt(file.path, folder)
  return content === undefined ? file : { path: file.path, content }
}

/** Longer files are no context. */
const MOST_BYTES = 1024 * 1024

/**
 * The text of a file inside the folder, read now; undefined for what is gone, is no text, or lies outside: messages
 * may name any path, and what is read goes to the provider.
 */
async function textAt(path: string, folder: string): Promise<string | undefined> {
  let handle: FileHandle | undefined
  try {
    const home = await realpath(folder)
    const real = await realpath(resolve(home, path))
    const inside = relative(home, real)
    if (inside.startsWith('..') || isAbsolute(inside)) return undefined
    handle = await open(real, 'r')
    const state = await handle.stat()
    if (!state.isFile()) return undefined
    const buffer = Buffer.alloc(Math.min(state.size, MOST_BYTES))
    const { bytesRead } = await handle.read(buffer, 0, buffer.length, 0)
    const text = buffer.subarray(0, bytesRead).toString('utf8')
    return text.includes('\0') ? undefined : text
  } catch (error) {
    // Deleted, moved, or not ours to read: then there is nothing to put back.
    if (error instanceof Error && 'code' in error) return undefined
    throw error
  } finally {
    await handle?.close()
  }
}
