/** Records a story: one home, one session id, one scripted model; each stage resumes the session. */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type ReceivedRequest, type Reply, scriptedModel } from '../../src/testing/index.ts'
import { type ClaudeHome, type ClaudeRun, runClaudeCode } from '../../test/support/claude-code.ts'
import type { Stage } from './story.ts'

/** What both examples have in common: a short system prompt of our own and the seven tools the stories use. */
const SYSTEM_PROMPT = 'You look after the booking office of a ferry line. Work carefully and say what you did.'
const TOOLS = ['Bash', 'Read', 'Edit', 'Write', 'Grep', 'Glob', 'Agent']

export interface Recording {
  readonly runs: readonly ClaudeRun[]
  /** Raw lines of the session file. */
  readonly main: string
  /** Raw lines of each subagent's file, by file name. */
  readonly subagents: ReadonlyMap<string, string>
}

export async function record(
  home: ClaudeHome,
  sessionId: string,
  model: string,
  stages: readonly Stage[],
): Promise<Recording> {
  let main: Reply[] = []
  let subagent: Reply[] = []
  const scripted = await scriptedModel({
    strict: true,
    script: (request) => (isSubagent(request) ? subagent.shift() : main.shift()),
  })
  const runs: ClaudeRun[] = []
  try {
    for (const [index, stage] of stages.entries()) {
      main = [...stage.replies]
      subagent = [...(stage.subagent ?? [])]
      const session = index === 0 ? { sessionId } : { resume: sessionId }
      const base = { model, systemPrompt: SYSTEM_PROMPT, tools: TOOLS, ...session }
      runs.push(await runClaudeCode(home, scripted.url, { ...base, ...stage.options, prompt: stage.prompt }))
      const refused = scripted.refusals()[0]
      if (refused) throw new Error(`stage ${index}: the strict model refused: ${refused.refusal?.message}`)
      if (main.length + subagent.length > 0)
        throw new Error(`stage ${index}: ${main.length + subagent.length} replies were not asked for`)
    }
  } finally {
    await scripted.close()
  }
  return {
    runs,
    main: readFileSync(join(home.sessions, `${sessionId}.jsonl`), 'utf8'),
    subagents: subagentsOf(home, sessionId),
  }
}

function isSubagent(request: ReceivedRequest): boolean {
  const { system } = request.body
  return JSON.stringify(Array.isArray(system) ? system[0] : system).includes('cc_is_subagent=true')
}

function subagentsOf(home: ClaudeHome, sessionId: string): Map<string, string> {
  const folder = join(home.sessions, sessionId, 'subagents')
  const names = existsSync(folder) ? readdirSync(folder).filter((name) => name.endsWith('.jsonl')) : []
  return new Map(names.map((name) => [name, readFileSync(join(folder, name), 'utf8')]))
}
