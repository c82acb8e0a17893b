// Stands in for the Claude Code binary: it speaks the SDK's control protocol, calls the registered PostToolUse hook so
// often, one after the other, and gives the microseconds of each call as its result.
import { createInterface } from 'node:readline'

const CALLS = Number(process.env.HOOK_CALLS)
const RESPONSE = JSON.parse(process.env.HOOK_RESPONSE)

const write = (message) => process.stdout.write(`${JSON.stringify(message)}\n`)
const waiting = new Map()
let hooks = {}

function askHook(number, callback) {
  const input = {
    session_id: 's',
    transcript_path: '/none/s.jsonl',
    cwd: '/',
    permission_mode: 'default',
    hook_event_name: 'PostToolUse',
    tool_name: 'Bash',
    tool_input: { command: 'git status -s', description: 'See what changed' },
    tool_use_id: `toolu_${number}`,
    tool_response: RESPONSE,
  }
  const request = { subtype: 'hook_callback', callback_id: callback, input, tool_use_id: input.tool_use_id }
  return new Promise((done) => {
    waiting.set(`h${number}`, done)
    write({ type: 'control_request', request_id: `h${number}`, request })
  })
}

async function measure() {
  const callback = hooks.PostToolUse[0].hookCallbackIds[0]
  const times = []
  for (let number = 0; number < CALLS; number++) {
    const started = process.hrtime.bigint()
    await askHook(number, callback)
    times.push(Number(process.hrtime.bigint() - started) / 1000)
  }
  const usage = { input_tokens: 0, output_tokens: 0, cache_creation_input_tokens: 0, cache_read_input_tokens: 0 }
  write({
    type: 'result',
    subtype: 'success',
    is_error: false,
    result: JSON.stringify(times),
    session_id: 's',
    uuid: '00000000-0000-4000-8000-000000000000',
    num_turns: 1,
    duration_ms: 0,
    duration_api_ms: 0,
    total_cost_usd: 0,
    usage,
    modelUsage: {},
    permission_denials: [],
  })
  process.exit(0)
}

for await (const line of createInterface({ input: process.stdin })) {
  const message = JSON.parse(line)
  if (message.type === 'control_request') {
    if (message.request.subtype === 'initialize') hooks = message.request.hooks ?? {}
    const response = { commands: [], models: [], account: {}, output_style: 'default', available_output_styles: [] }
    write({ type: 'control_response', response: { subtype: 'success', request_id: message.request_id, response } })
  } else if (message.type === 'control_response') {
    waiting.get(message.response.request_id)?.(message.response)
  } else if (message.type === 'user') {
    measure()
  }
}
