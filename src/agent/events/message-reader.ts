/**
 * From the SDK's messages to events, and to the figures a step reports. The harness sends one message a content block
 * and repeats the usage on each, so requests are counted by their id; what subagents say never becomes the step's text.
 */
import type { SDKMessage, SDKResultMessage } from '@anthropic-ai/claude-agent-sdk'
import { fieldsOf, textOf } from '../../formats/fields.ts'
import { contentBlocks, type PlainBlock, resultBody } from './content-blocks.ts'
import type { EventBody, WorkerName } from './events.ts'

/** What a message gives: who it is about, and what happened. */
export interface ReadEvent {
  readonly worker?: WorkerName
  readonly body: EventBody
}

export interface Figures {
  /** Requests of the main thread that were answered. */
  readonly turns: number
  /** Tokens of the main thread's newest prompt. */
  readonly context: number
  /** Prose of the main thread, a piece an answer. */
  readonly texts: readonly string[]
  /** Prose since the newest call: the answer, once the turn has ended. */
  readonly answer: string
  readonly result: SDKResultMessage | undefined
  /** The harness's own error message, when the newest answer was one. */
  readonly apiError: ApiErrorMessage | undefined
  /** Background tasks that run now. */
  readonly background: number
  /** The main thread has ended its turn and nothing has come from it since. */
  readonly idle: boolean
}

export interface ApiErrorMessage {
  readonly kind: string
  readonly text: string
}

export interface MessageReader extends Figures {
  read(message: SDKMessage): ReadEvent[]
  /** The worker with this agent id, as far as it is known; hooks name workers so. */
  workerNamed(agentId: string): WorkerName
}

/** Made by the harness, not by a model. */
const SYNTHETIC_MODEL = '<synthetic>'

export function messageReader(): MessageReader {
  const tools = new Map<string, string>()
  const roles = new Map<string, string>()
  /** Calls by the agent id of the worker they started. */
  const agents = new Map<string, string>()
  const requests = new Set<string>()
  const texts: string[] = []
  let answer: string[] = []
  let context = 0
  let background = 0
  let idle = false
  let result: SDKResultMessage | undefined
  let apiError: ApiErrorMessage | undefined

  function workerOf(callId: string | null | undefined): { worker?: WorkerName } {
    if (!callId) return {}
    const role = roles.get(callId)
    return { worker: { callId, ...(role === undefined ? {} : { role }) } }
  }

  function assistant(message: SDKMessage & { type: 'assistant' }): ReadEvent[] {
    const owner = workerOf(message.parent_tool_use_id)
    const isMain = message.parent_tool_use_id === null
    const blocks = contentBlocks(message.message.content)
    if (message.error !== undefined || message.message.model === SYNTHETIC_MODEL) {
      const text = blocks.map((block) => block.text ?? '').join('\n')
      if (isMain && message.error !== undefined) apiError = { kind: message.error, text }
      return [{ ...owner, body: { type: 'system', kind: message.error ?? 'harness', text } }]
    }
    if (isMain) {
      apiError = undefined
      // A new turn, which background work brought: what was said before was not the last word.
      if (idle) answer = []
      idle = false
      requests.add(message.message.id)
      const { input_tokens, cache_read_input_tokens, cache_creation_input_tokens } = message.message.usage
      const prompt = input_tokens + (cache_read_input_tokens ?? 0) + (cache_creation_input_tokens ?? 0)
      if (prompt > 0) context = prompt
    }
    return blocks.flatMap((block) => said(block, owner, isMain))
  }

  function said(block: PlainBlock, owner: { worker?: WorkerName }, isMain: boolean): ReadEvent[] {
    if (block.type === 'text') {
      if (isMain && block.text) {
        texts.push(block.text)
        answer.push(block.text)
      }
      return block.text ? [{ ...owner, body: { type: 'text', text: block.text } }] : []
    }
    if (block.type === 'thinking') {
      return block.thinking ? [{ ...owner, body: { type: 'thinking', text: block.thinking } }] : []
    }
    if (block.type !== 'tool_use' || block.id === undefined) return []
    const tool = block.name ?? ''
    tools.set(block.id, tool)
    if (isMain) answer = []
    const role = textOf(fieldsOf(block.input)?.subagent_type)
    if (role !== undefined) roles.set(block.id, role)
    return [{ ...owner, body: { type: 'tool_call', callId: block.id, tool, input: block.input } }]
  }

  function user(message: SDKMessage & { type: 'user' }): ReadEvent[] {
    const owner = workerOf(message.parent_tool_use_id)
    return contentBlocks(message.message.content).flatMap((block): ReadEvent[] => {
      if (block.type === 'text') return block.text ? [{ ...owner, body: { type: 'prompt', text: block.text } }] : []
      const { answers: callId, isError } = block
      if (block.type !== 'tool_result' || callId === undefined) return []
      const tool = tools.get(callId) ?? ''
      return [{ ...owner, body: { type: 'tool_result', callId, tool, isError, ...resultBody(block) } }]
    })
  }

  function ended(message: SDKResultMessage): ReadEvent[] {
    result = message
    idle = true
    const ok = message.subtype === 'success' && !message.is_error
    const text = 'result' in message ? message.result : message.errors.join('\n')
    return [{ body: { type: 'result', ok, text, cost: message.total_cost_usd, turns: requests.size } }]
  }

  return {
    read(message) {
      if (message.type === 'assistant') return assistant(message)
      if (message.type === 'user') return user(message)
      if (message.type === 'result') return ended(message)
      if (message.type === 'conversation_reset') return [{ body: { type: 'reset', reason: message.type } }]
      if (message.type !== 'system') return QUIET.has(message.type) ? [] : [unknown(message.type)]
      if (message.subtype === 'background_tasks_changed') background = message.tasks.length
      if (message.subtype === 'task_started' && message.tool_use_id) agents.set(message.task_id, message.tool_use_id)
      return systemEvents(message)
    },
    workerNamed: (agentId) => workerOf(agents.get(agentId)).worker ?? { callId: agentId },
    get turns() {
      return requests.size
    },
    get context() {
      return context
    },
    texts,
    get answer() {
      return answer.join('\n\n')
    },
    get result() {
      return result
    },
    get apiError() {
      return apiError
    },
    get background() {
      return background
    },
    get idle() {
      return idle
    },
  }
}

/** Progress of single tokens and of things that other messages tell better. */
const QUIET: ReadonlySet<string> = new Set([
  'stream_event',
  'tool_progress',
  'tool_use_summary',
  'rate_limit_event',
  'auth_status',
  'prompt_suggestion',
  'control_request_progress',
])
const QUIET_SYSTEM: ReadonlySet<string> = new Set([
  'thinking_tokens',
  'background_tasks_changed',
  'task_updated',
  'hook_started',
  'hook_progress',
  'hook_response',
  'commands_changed',
  'session_state_changed',
  'files_persisted',
  'permission_denied',
])

type SystemMessage = SDKMessage & { type: 'system' }

function systemEvents(message: SystemMessage): ReadEvent[] {
  const { subtype } = message
  if (QUIET_SYSTEM.has(subtype)) return []
  switch (message.subtype) {
    case 'init':
      return [{ body: { type: 'system', kind: subtype, text: message.tools.join(', '), model: message.model } }]
    case 'status':
      return message.status === 'compacting' ? [{ body: { type: 'system', kind: 'compacting', text: '' } }] : []
    case 'compact_boundary': {
      const { trigger, pre_tokens: before, post_tokens: after } = message.compact_metadata
      const text = `${trigger}: ${before}${after === undefined ? '' : ` to ${after}`} tokens`
      return [{ body: { type: 'system', kind: subtype, text } }]
    }
    case 'api_retry':
      return [{ body: { type: 'retry', waitsFor: 'api', attempt: message.attempt, delayMs: message.retry_delay_ms } }]
    case 'task_started':
    case 'task_progress':
    case 'task_notification':
      return [taskEvent(message)]
    case 'mirror_error':
      return [{ body: { type: 'alarm', what: 'session store', reason: message.error } }]
    case 'session_writes_lost':
      return [{ body: { type: 'alarm', what: 'session file', reason: message.error_code } }]
    default:
      return [unknown(`system/${subtype}`)]
  }
}

type TaskMessage = SystemMessage & { subtype: 'task_started' | 'task_progress' | 'task_notification' }

function taskEvent(message: TaskMessage): ReadEvent {
  const call = message.tool_use_id === undefined ? {} : { callId: message.tool_use_id }
  const base = { type: 'task' as const, taskId: message.task_id, ...call }
  if (message.subtype === 'task_started') {
    const { description, subagent_type: role, is_backgrounded: background } = message
    const known = { ...(role === undefined ? {} : { role }), ...(background === undefined ? {} : { background }) }
    return { body: { ...base, state: 'started', description, ...known } }
  }
  const { usage } = message
  const spent = usage ? { tokens: usage.total_tokens, calls: usage.tool_uses, milliseconds: usage.duration_ms } : {}
  if (message.subtype === 'task_notification') return { body: { ...base, state: message.status, ...spent } }
  const { description, last_tool_name: lastTool } = message
  return {
    body: { ...base, state: 'progress', description, ...spent, ...(lastTool === undefined ? {} : { lastTool }) },
  }
}

function unknown(kind: string): ReadEvent {
  return { body: { type: 'unknown', kind } }
}
