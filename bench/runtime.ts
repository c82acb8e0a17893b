/**
 * What the hooks of the runtime cost: a spill of 1 MB beside writing the same text to a file and syncing it, and an
 * answer that passes beside a hook that does nothing, both called through the Agent SDK as the binary calls them.
 */
import { closeSync, fsyncSync, mkdtempSync, openSync, rmSync, writeSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { type HookCallback, query } from '@anthropic-ai/claude-agent-sdk'
import { type Hooks, spillGuard } from '../src/agent/index.ts'
import { type Archive, openArchive } from '../src/archive/index.ts'
import { benchStores } from './runtime-stores.ts'
import { benchSpillSavings } from './spill-savings.ts'
import { median, milliseconds, print, promise } from './timing.ts'

const MB = 1024 * 1024
const SPILLS = 40
const CALLS = 400
const ROUNDS = 5
const MOST_SPILL = 3
const MOST_PASS = 2

export async function benchRuntime(): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'spillway-runtime-'))
  const archive = await openArchive(join(folder, '.spillway'))
  try {
    await spills(folder, archive)
    await passes(archive)
    await benchSpillSavings()
    await benchStores(folder)
  } finally {
    archive.close()
    rmSync(folder, { recursive: true })
  }
}

/** Alternating, so that a busy machine and a busy disk disturb both alike. */
async function spills(folder: string, archive: Archive): Promise<void> {
  const hook = callbackOf(spillGuard({ archive }))
  const times = { write: [] as number[], spill: [] as number[], archive: [] as number[] }
  for (let round = 0; round < SPILLS; round++) {
    const text = logOf(round)
    times.write.push(await milliseconds(() => writeSynced(join(folder, `${round}.txt`), text)))
    const input = { ...CALL, tool_use_id: `toolu_${round}`, tool_response: { stdout: text, stderr: '' } }
    const answers: unknown[] = []
    times.spill.push(await milliseconds(async () => answers.push(await hook(input as never, undefined, SIGNAL))))
    if (!JSON.stringify(answers).includes('[spillway ')) throw new Error('the text was not spilled')
    // What follows the answer: the archive takes the copy in.
    times.archive.push(await milliseconds(() => new Promise((done) => setImmediate(done))))
  }
  const [write, spill, settle] = [median(times.write), median(times.spill), median(times.archive)]
  print('1 MB written and synced', `${write.toFixed(2)} ms`)
  print('1 MB spilled', `${spill.toFixed(2)} ms, ${(spill / write).toFixed(2)} x`)
  print('then, behind the answer, archived', `${settle.toFixed(1)} ms`)
  promise('a 1 MB spill against a synced write', spill / write, MOST_SPILL)
}

async function passes(archive: Archive): Promise<void> {
  const responses = { 'a short answer': 'M src/a.ts\n'.repeat(20), 'just below the threshold': 'x'.repeat(3900) }
  const empty: Hooks = { PostToolUse: [{ hooks: [async () => ({})] }] }
  const ours = spillGuard({ archive })
  for (const [name, stdout] of Object.entries(responses)) {
    const response = { stdout, stderr: '', interrupted: false, isImage: false, noOutputExpected: false }
    const best = { empty: Number.POSITIVE_INFINITY, ours: Number.POSITIVE_INFINITY }
    for (let round = 0; round < ROUNDS; round++) {
      best.empty = Math.min(best.empty, await throughTheSdk(empty, response))
      best.ours = Math.min(best.ours, await throughTheSdk(ours, response))
    }
    const hook = callbackOf(ours)
    const input = { ...CALL, tool_use_id: 'toolu_1', tool_response: response } as never
    for (let warm = 0; warm < CALLS; warm++) await hook(input, undefined, SIGNAL)
    const alone = await milliseconds(async () => {
      for (let call = 0; call < CALLS; call++) await hook(input, undefined, SIGNAL)
    })
    const ratio = best.ours / best.empty
    print(
      `${name} passes`,
      `${best.ours.toFixed(0)} us, ${ratio.toFixed(2)} x an empty hook (${best.empty.toFixed(0)} us)`,
    )
    print('  of which the hook itself', `${((alone / CALLS) * 1000).toFixed(1)} us`)
    promise(`a pass-through of ${name}`, ratio, MOST_PASS)
  }
}

/** Microseconds of one hook call, request to answer, the median of many. */
async function throughTheSdk(hooks: Hooks, response: unknown): Promise<number> {
  const running = query({
    prompt: 'go',
    options: {
      pathToClaudeCodeExecutable: resolve('bench/hook-caller.mjs'),
      executable: 'node',
      env: { ...process.env, HOOK_CALLS: String(CALLS), HOOK_RESPONSE: JSON.stringify(response) },
      hooks,
    },
  })
  for await (const message of running) {
    if (message.type === 'result' && message.subtype === 'success')
      return median(JSON.parse(message.result) as number[])
  }
  throw new Error('the hook caller gave no result')
}

const SIGNAL = { signal: new AbortController().signal }
const CALL = {
  session_id: 's',
  transcript_path: '/none/s.jsonl',
  cwd: '/',
  hook_event_name: 'PostToolUse',
  tool_name: 'Bash',
  tool_input: { command: 'npm test' },
}

function callbackOf(hooks: Hooks): HookCallback {
  const hook = hooks.PostToolUse?.[0]?.hooks[0]
  if (hook === undefined) throw new Error('no PostToolUse hook')
  return hook
}

function writeSynced(path: string, text: string): void {
  const file = openSync(path, 'w', 0o600)
  writeSync(file, text)
  fsyncSync(file)
  closeSync(file)
}

/** A test log of 1 MB, another one each round. */
function logOf(round: number): string {
  const lines: string[] = []
  for (let line = 0, length = 0; length < MB; line++) {
    const text = `run ${round}: ok ${line} test/some-suite-${line % 97}.test.ts > does what it says (${(line * 7919) % 991} ms)`
    lines.push(text)
    length += text.length + 1
  }
  return lines.join('\n').slice(0, MB)
}
