/** A generated story as Codex would record it, with its events and every kind of line. */
import type { Step, Story } from './generated-sessions.ts'
import {
  announcementText,
  briefOf,
  childKey,
  type Launched,
  reportOf,
  type SpawnStep,
  taskId,
} from './generated-tasks.ts'

type Turn = Step & { kind: 'turn' }
type Call = Turn['calls'][number]

const PICTURE = `data:image/png;base64,${Buffer.concat([
  Buffer.from('89504e470d0a1a0a0000000d4948445200000280000001e00802000000', 'hex'),
  Buffer.alloc(600, 9),
]).toString('base64')}`
const BIG = 'the quick brown fox jumps over the lazy dog; '.repeat(40)
const TIME = '2026-11-30T06:00:00.000Z'
const BAD = '{"timestamp":"2026-11-30T06:00:00.000Z","type":"response_item","payload":{"type":"mess'
const TOOLS = { Bash: 'shell', Read: 'read_file', Write: 'apply_patch', Grep: 'grep_files' }

export function asCodex({ steps, model, crlf }: Story): Buffer {
  const lines: string[] = []
  let joinNext = false
  let total = 0
  let launched: Launched[] = []
  const write = (type: string, payload: unknown): void => {
    // Spellings that JSON.stringify would not choose.
    const line = JSON.stringify({ timestamp: TIME, type, payload }).replace('"payload"', '"odd":1.50, "payload"')
    if (joinNext) lines[lines.length - 1] += line
    else lines.push(line)
    joinNext = false
  }
  const item = (payload: Record<string, unknown>): void => write('response_item', payload)
  const says = (text: string, role = 'user'): void => {
    const type = role === 'user' ? 'input_text' : 'output_text'
    item({ type: 'message', role, content: [{ type, text }] })
    if (role === 'user') write('event_msg', { type: 'user_message', message: text, images: [] })
  }
  write('session_meta', { id: '01a22b10-8b54-7496-a688-5292bba1f30e', timestamp: TIME, cwd: '/w', instructions: null })
  says('<environment_context>\n  <cwd>/w</cwd>\n</environment_context>')
  says('the task of this session')
  steps.forEach((step, index) => {
    switch (step.kind) {
      case 'user':
        says(step.text)
        break
      case 'picture':
        item({
          type: 'message',
          role: 'user',
          content: [
            { type: 'input_text', text: 'see' },
            { type: 'input_image', image_url: PICTURE },
          ],
        })
        break
      case 'turn':
        write('turn_context', { cwd: '/w', model, summary: 'auto' })
        total += 100
        for (let time = 0; time < 2; time++) {
          const last = { input_tokens: 90, cached_input_tokens: 50, output_tokens: 10, total_tokens: 100 }
          write('event_msg', {
            type: 'token_count',
            info: { total_token_usage: { total_tokens: total }, last_token_usage: last },
          })
        }
        for (const payload of turnItems(step, index)) item(payload)
        break
      case 'error':
        write('event_msg', { type: 'error', message: '529 overloaded' })
        break
      case 'interrupt':
        write('event_msg', { type: 'turn_aborted', reason: 'interrupted' })
        says('<turn_aborted>\n  <reason>interrupted</reason>\n</turn_aborted>')
        break
      case 'reminder':
        item({ type: 'message', role: 'developer', content: [{ type: 'input_text', text: 'a note' }] })
        break
      case 'noise':
        item({ type: 'ghost_snapshot', ghost_commit: { id: 'abc' } })
        break
      case 'side':
        item({ type: 'web_search_call', status: 'completed', action: { type: 'search', query: 'x' } })
        break
      case 'compaction':
        write('compacted', index % 2 ? { message: 'what was done' } : { message: '', replacement_history: replaced() })
        break
      case 'orphan':
        item({ type: 'function_call_output', call_id: `gone_${index}`, output: 'words of a lost call' })
        break
      case 'blank':
        says('\n\n', 'assistant')
        break
      case 'broken-parent':
        says('after the break')
        break
      case 'branch':
        says('a branch that was left')
        write('event_msg', { type: 'thread_rolled_back', num_turns: 1 })
        break
      case 'bad-line':
        lines.push(BAD)
        break
      case 'joined':
        joinNext = true
        says('joined to the line before')
        break
      case 'spawn': {
        const calls = spawnCalls(step, index)
        if (step.words !== '') says(step.words, 'assistant')
        for (const { payload } of calls) item(payload)
        for (const { output } of calls) item(output)
        launched.push(...calls.flatMap((call) => call.launched))
        break
      }
      case 'announce':
        for (const one of launched) if (one.task.end !== 'open') says(announcementText(one))
        launched = launched.filter(({ task }) => task.end === 'open')
        break
    }
  })
  return Buffer.from(lines.map((line) => line + (crlf ? '\r\n' : '\n')).join(''), 'utf8')
}

/** Codex has no workers of its own: a tool that somebody added delegates. */
function spawnCalls(step: SpawnStep, index: number) {
  return step.tasks.map((task, position) => {
    const id = taskId(index, position)
    const name = `job-${index}-${position}`
    const call = `call_${index}_${position}`
    const accepted = { status: 'accepted', childSessionKey: childKey(id), runId: id }
    const launches = task.end !== 'refused' && (!task.foreground || task.end === 'open')
    const answer = task.end === 'refused' ? '{"status":"forbidden","error":"no"}' : JSON.stringify(accepted)
    const input = JSON.stringify({ label: name, task: briefOf(task, name) })
    return {
      launched: launches ? [{ task, id, name }] : [],
      payload: { type: 'function_call', name: 'delegate_task', arguments: input, call_id: call },
      output: {
        type: 'function_call_output',
        call_id: call,
        output: launches || task.end === 'refused' ? answer : reportOf(task, name),
      },
    }
  })
}

function replaced(): unknown[] {
  return [
    { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'the task of this session' }] },
    { type: 'compaction', encrypted_content: 'SEALED' },
  ]
}

function turnItems(step: Turn, index: number): Record<string, unknown>[] {
  const calls = step.calls.map((call, position) => ({ call, id: `call_${index}_${position}` }))
  const reasoning = {
    type: 'reasoning',
    summary: [{ type: 'summary_text', text: `about ${index}` }],
    content: null,
    encrypted_content: 'gAAAA'.repeat(300),
  }
  const words = step.text !== '' ? step.text : calls.length === 0 ? 'nothing to do' : undefined
  const content = [{ type: 'output_text', text: words }]
  return [
    ...(step.thinking ? [reasoning] : []),
    ...(words === undefined ? [] : [{ type: 'message', role: 'assistant', content }]),
    ...calls.map(({ call, id }) => callItem(call, id)),
    ...calls.flatMap(({ call, id }) => outputItems(call, id)),
  ]
}

function callItem(call: Call, id: string): Record<string, unknown> {
  const name = TOOLS[call.tool]
  const big = call.big ? BIG : 'small'
  if (call.tool === 'Write') return { type: 'custom_tool_call', status: 'completed', call_id: id, name, input: big }
  const input =
    call.tool === 'Bash' ? { command: ['bash', '-lc', `run ${id}`] } : { file_path: `/w/${id}.ts`, limit: 5 }
  // A number that JSON.parse would change.
  const text = JSON.stringify({ ...input, content: `${id} ${big}` }).replace(/\}$/, ',"big":9007199254740993}')
  return { type: 'function_call', name, arguments: text, call_id: id }
}

function outputItems(call: Call, id: string): Record<string, unknown>[] {
  const type = call.tool === 'Write' ? 'custom_tool_call_output' : 'function_call_output'
  const one = (output: unknown): Record<string, unknown> => ({ type, call_id: id, output })
  const text = JSON.stringify({ output: `${id} ${BIG}`, metadata: { exit_code: 0, duration_seconds: 0.1 } })
  switch (call.answer) {
    case 'missing':
      return []
    case 'twice':
      return [one(`ok ${id}`), one(`ok ${id}`)]
    case 'picture':
      return [
        one([
          { type: 'input_text', text: 'the picture' },
          { type: 'input_image', image_url: PICTURE },
        ]),
      ]
    case 'parts':
      return [
        one([
          { type: 'input_text', text: `${id} ${BIG}` },
          { type: 'input_text', text: 'second part' },
        ]),
      ]
    case 'long':
    case 'failed':
      return [one(text)]
    default:
      return [one(`ok ${id}`)]
  }
}
