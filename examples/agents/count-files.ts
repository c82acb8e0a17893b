/**
 * A coordinator and a worker that count files, offline: the real Claude Code binary (it comes with the Agent SDK) against
 * a scripted model. Run it: `npx tsx examples/agents/count-files.ts`. With a real model leave `environment` out: then the
 * key comes from `spillway setup` or the environment.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { analyzeRun, coordinator, Runtime, worker } from 'spillway/agent'
import { answer, call, say, scriptedModel, think } from 'spillway/testing'

const workspace = mkdtempSync(join(tmpdir(), 'spillway-example-'))
for (const name of ['a.txt', 'b.txt', 'c.txt']) writeFileSync(join(workspace, name), name)

// What a model would say: the coordinator asks the analyst, who runs commands with long outputs and reports.
const model = await scriptedModel({
  strict: true,
  script: ({ body }) => {
    const asked = body.messages.filter(({ role }) => role === 'assistant').length
    const isWorker = JSON.stringify(body.system).includes('cc_is_subagent=true')
    if (isWorker && asked < 3) return answer(think('Look.'), call('Bash', { command: `ls -l; seq ${asked} 3000`, description: 'List' }))
    if (isWorker) return answer(say('Conclusion: 3 files.\nEvidence: ls.\nOutput: none\nUnverified: none'))
    if (asked > 0) return answer(say('There are 3 files.'))
    return answer(think('A worker counts.'), call('Agent', { description: 'Count', prompt: 'Count the files.', subagent_type: 'analyst' }))
  },
})

const analyst = worker('Analyses files: counts, searches, compares.', 'You analyse files on the command line.')
const lead = coordinator('lead', 'Goal: know the size of this folder.', { analyst })
const runtime = new Runtime({
  workspace,
  workbench: true,
  environment: { PATH: process.env.PATH, HOME: workspace, ANTHROPIC_BASE_URL: model.url, ANTHROPIC_API_KEY: 'offline', CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1' },
  onEvent: (event) => {
    if (event.type === 'task' && event.state !== 'progress') console.log(`worker ${event.state}`)
    if (event.type === 'spill') console.log(`spilled ${event.size} ${event.unit}`)
  },
})

const result = await runtime.run(lead, 'How many files are here?')
await runtime.close()
const { delegation } = await analyzeRun(runtime.runDirectory)
console.log(`${result.answer} ${Math.round(delegation.charShare * 100)} % of the characters stayed in the worker.`)

await model.close()
rmSync(workspace, { recursive: true, force: true })
if (!result.ok) process.exitCode = 1
