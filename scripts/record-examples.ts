/**
 * `npm run record-examples` writes the two sessions in `examples/` anew: the real Claude Code binary of the Agent
 * SDK, driven by a scripted model on loopback, works on an invented code base in a temporary folder.
 *
 * - `long.jsonl`: a long session with large outputs, repeated reads and a subagent (`long/subagents/agent-*.jsonl`)
 * - `damaged.jsonl`: a denial of each kind that can be brought about, interrupts, a final API error, a command that
 *   ran out of time, a call left without an answer
 *
 * What could name the machine is replaced (scripts/examples/scrub.ts); ids and times follow from the entries, so two
 * recordings with one version of the binary hardly differ. See docs/examples.md.
 */
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type ClaudeHome, claudeCodeBinary, createClaudeHome } from '../test/support/claude-code.ts'
import { damagedStory } from './examples/damaged-story.ts'
import { writeFerryProject } from './examples/ferry-project.ts'
import { longStory } from './examples/long-story.ts'
import { record } from './examples/recorder.ts'
import { scrub } from './examples/scrub.ts'
import type { Stage } from './examples/story.ts'

/** A model that binds thinking to its prefix: what an example shows must hold there. */
const MODEL = 'claude-opus-5-5'
const MOST_BYTES = 1_000_000
const EXAMPLES = resolve(dirname(fileURLToPath(import.meta.url)), '../examples')

async function recordExample(
  name: string,
  sessionId: string,
  story: (home: ClaudeHome) => readonly Stage[],
): Promise<void> {
  const home = createClaudeHome()
  try {
    writeFerryProject(home.project)
    const recording = await record(home, sessionId, MODEL, story(home))
    const clean = scrub(recording, home, sessionId)
    rmSync(join(EXAMPLES, name), { recursive: true, force: true })
    write(`${name}.jsonl`, clean.main)
    for (const [file, text] of clean.subagents) write(join(name, 'subagents', file), text)
  } finally {
    home.remove()
  }
}

function write(file: string, text: string): void {
  const bytes = Buffer.byteLength(text)
  if (bytes > MOST_BYTES) throw new Error(`${file} has ${bytes} bytes, at most ${MOST_BYTES} are wanted`)
  const path = join(EXAMPLES, file)
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, text)
  process.stdout.write(`examples/${file}: ${bytes} bytes, ${text.split('\n').length - 1} lines\n`)
}

if (!claudeCodeBinary()) throw new Error('the Agent SDK is installed without its binary; nothing can be recorded')
await recordExample('long', '5f1e77a0-0000-4000-8000-000000000001', (home) => longStory(home.project))
await recordExample('damaged', '5f1e77a0-0000-4000-8000-000000000002', (home) => damagedStory(home.project))
