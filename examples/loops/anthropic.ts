/**
 * A plain agent loop on the Anthropic client. `fitClient` is the only line that is not in every such loop, and the
 * recall tool the only tool. Run it: `npx tsx examples/loops/anthropic.ts` (offline; a real model needs a key and no
 * `baseURL`).
 */
import Anthropic from '@anthropic-ai/sdk'
import { fitClient, memoryArchive, recallTool } from 'spillway'
import { offlineModel, readLog, summary, TASK, WINDOW } from './offline-model.ts'

const model = await offlineModel()
const archive = memoryArchive()
const recall = recallTool({ archive })
let compactions = 0

const client = fitClient(new Anthropic({ baseURL: model.url, apiKey: 'offline' }), {
  window: WINDOW,
  archive,
  onReport: ({ outcome }) => {
    if (outcome === 'rewritten') compactions++
  },
})

const tools: Anthropic.Tool[] = [
  {
    name: 'read_log',
    description: 'Reads a log file.',
    input_schema: { type: 'object', properties: { file: { type: 'string' } }, required: ['file'] },
  },
  recall.messages,
]
const messages: Anthropic.MessageParam[] = [{ role: 'user', content: TASK }]

for (;;) {
  const said = await client.messages.create({ model: 'claude-opus-5-5', max_tokens: 1_000, tools, messages })
  messages.push({ role: 'assistant', content: said.content })
  const calls = said.content.filter((block) => block.type === 'tool_use')
  if (calls.length === 0) {
    await summary(model, said.content.map((block) => (block.type === 'text' ? block.text : '')).join(''), compactions)
    break
  }
  const results = calls.map(async ({ id, name, input }): Promise<Anthropic.ToolResultBlockParam> => {
    const content = name === recall.name ? await recall.answer(input) : readLog((input as { file: string }).file)
    return { type: 'tool_result', tool_use_id: id, content }
  })
  messages.push({ role: 'user', content: await Promise.all(results) })
}
