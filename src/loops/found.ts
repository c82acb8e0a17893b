/**
 * What a run needs to remain itself, found in its own messages (seed C6): the todo list as its tools last left it,
 * the plan, the file of the last edit. Only calls that succeeded count.
 */
import {
  type CallBlock,
  type Exchange,
  exchangesOf,
  type JsonObject,
  type JsonValue,
  type Message,
  type ResultBlock,
  type Transcript,
} from '../core/transcript.ts'
import { isNoteBlock } from '../planning/budget/index.ts'
import type { TodoItem } from './put-back.ts'

export interface Found {
  readonly task?: string
  /** What the user said after the task, oldest first. */
  readonly rules: readonly string[]
  /** Undefined where no list was ever kept, empty where it is done with. */
  readonly todos?: readonly TodoItem[]
  /** The plan's own words, or the file it stands in; the newest counts. */
  readonly plan?: { readonly text: string } | { readonly path: string }
  /** The file of the last edit. */
  readonly file?: string
}

export function findIn(transcript: Transcript): Found {
  const [task, ...rules] = transcript.messages.flatMap((message) => wordsOfUser(message) ?? [])
  const exchanges = exchangesOf(transcript).filter(({ result }) => result && !result.isError && !result.denied)
  const todos = todosOf(exchanges)
  const plan = exchanges.map(({ call }) => planOf(call)).findLast((found) => found !== undefined)
  const file = exchanges.map(({ call }) => editedBy(call)).findLast((path) => path !== undefined && !isPlan(path))
  return {
    ...(task === undefined ? {} : { task }),
    rules,
    ...(todos ? { todos } : {}),
    ...(plan ? { plan } : {}),
    ...(file === undefined ? {} : { file }),
  }
}

function wordsOfUser(message: Message): string | undefined {
  if (message.role !== 'user' || message.kind !== undefined) return undefined
  const texts = message.blocks.flatMap((block) => (block.type === 'text' && !isNoteBlock(block) ? [block.text] : []))
  const words = texts.join('\n').trim()
  return words === '' ? undefined : words
}

const WHOLE_LISTS = /^(todo_?write|write_todos|todowrite|update_plan)$/i

function todosOf(exchanges: readonly Exchange[]): TodoItem[] | undefined {
  let found = false
  let whole: TodoItem[] = []
  const single = new Map<string, TodoItem>()
  for (const { call, result } of exchanges) {
    if (WHOLE_LISTS.test(call.tool)) {
      const list = listIn(call.input)
      if (!list) continue
      found = true
      whole = list.flatMap((item) => itemOf(item) ?? [])
    } else if (call.tool === 'TaskCreate') {
      found = true
      const id = createdId(result) ?? String(single.size + 1)
      single.set(id, {
        text: textIn(call.input, ['subject', 'title', 'content', 'description']) ?? '',
        status: 'pending',
      })
    } else if (call.tool === 'TaskUpdate') updateTask(single, call.input)
  }
  return found ? [...whole, ...single.values()] : undefined
}

function listIn(input: JsonObject): readonly JsonValue[] | undefined {
  for (const key of ['todos', 'plan', 'items', 'tasks']) {
    const list = input[key]
    if (Array.isArray(list)) return list
  }
  return undefined
}

function itemOf(item: JsonValue): TodoItem | undefined {
  if (typeof item === 'string') return { text: item, status: 'pending' }
  if (item === null || typeof item !== 'object' || Array.isArray(item)) return undefined
  const fields = item as JsonObject
  const text = textIn(fields, ['content', 'step', 'text', 'title', 'subject', 'task', 'description'])
  return text === undefined ? undefined : { text, status: textIn(fields, ['status', 'state']) ?? 'pending' }
}

/** "Task #1 created successfully: …" */
function createdId(result: ResultBlock | undefined): string | undefined {
  const [part] = result?.parts ?? []
  return part?.type === 'text' ? /#(\w{1,20})/.exec(part.text)?.[1] : undefined
}

function updateTask(tasks: Map<string, TodoItem>, input: JsonObject): void {
  const id = input.taskId ?? input.task_id ?? input.id
  const key = typeof id === 'number' || typeof id === 'string' ? String(id) : ''
  const task = tasks.get(key)
  if (!task) return
  const status = textIn(input, ['status']) ?? task.status
  if (status === 'deleted') tasks.delete(key)
  else tasks.set(key, { text: textIn(input, ['subject', 'title']) ?? task.text, status })
}

function textIn(fields: JsonObject, keys: readonly string[]): string | undefined {
  for (const key of keys) {
    const value = fields[key]
    if (typeof value === 'string' && value !== '') return value
  }
  return undefined
}

const EDITORS =
  /^(edit|multiedit|write|notebookedit|edit_file|write_file|create_file|str_replace|str_replace_editor|str_replace_based_edit_tool|apply_patch)$/i
const PATHS = ['file_path', 'path', 'filePath', 'notebook_path', 'filename']

function editedBy(call: CallBlock): string | undefined {
  if (!EDITORS.test(call.tool) || call.input.command === 'view') return undefined
  const path = textIn(call.input, PATHS)
  if (path !== undefined) return path
  const patch = textIn(call.input, ['input', 'patch'])
  return patch === undefined ? undefined : [...patch.matchAll(/^\*\*\* (?:Update|Add) File: (.+)$/gm)].at(-1)?.[1]
}

const PLAN_CALLS = /^(exitplanmode|exit_plan_mode)$/i

function planOf(call: CallBlock): Found['plan'] {
  const text = PLAN_CALLS.test(call.tool) ? textIn(call.input, ['plan']) : undefined
  if (text !== undefined) return { text }
  const path = editedBy(call)
  return path !== undefined && isPlan(path) ? { path } : undefined
}

/** A text file that says by its name, or its folder's, that it is a plan. */
function isPlan(path: string): boolean {
  return /\.(md|txt)$/i.test(path) && /(^|[\\/_.-])(plans?|roadmap|todos?)([\\/_.-]|$)/i.test(path)
}
