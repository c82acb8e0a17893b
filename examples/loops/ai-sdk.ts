/**
 * An agent of the AI SDK with tools. The middleware goes around the model; the recall tool runs by itself. Where the
 * model cannot be wrapped, `prepareStep: fitPrepareStep({ window, tools, system })` does the same before each step.
 * Run it: `npx tsx examples/loops/ai-sdk.ts` (offline).
 */
import { createOpenAICompatible } from '@ai-sdk/openai-compatible'
import { stepCountIs, ToolLoopAgent, tool, wrapLanguageModel } from 'ai'
import { fitMiddleware, memoryArchive, recallTool } from 'spillway'
import { z } from 'zod'
import { offlineModel, readLog, STEPS, summary, TASK, WINDOW } from './offline-model.ts'

const server = await offlineModel()
const archive = memoryArchive()
let compactions = 0

const model = wrapLanguageModel({
  model: createOpenAICompatible({ name: 'offline', baseURL: `${server.url}/v1`, includeUsage: true })('gpt-5.2'),
  middleware: fitMiddleware({
    window: WINDOW,
    archive,
    onReport: ({ outcome }) => {
      if (outcome === 'rewritten') compactions++
    },
  }),
})

const agent = new ToolLoopAgent({
  model,
  tools: {
    read_log: tool({
      description: 'Reads a log file.',
      inputSchema: z.object({ file: z.string() }),
      execute: async ({ file }) => readLog(file),
    }),
    recall: recallTool({ archive }).aiSdk,
  },
  stopWhen: stepCountIs(STEPS + 1),
})

const { text } = await agent.generate({ prompt: TASK })
await summary(server, text, compactions)
