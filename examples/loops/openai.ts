/**
 * A plain agent loop on the OpenAI client, streamed. Here `fit` is called by hand, so that every part of it shows:
 * the state that goes from call to call, the usage that teaches it to count, the report. `fitClient(new OpenAI())`
 * does the same in one line. Run it: `npx tsx examples/loops/openai.ts` (offline).
 */
import OpenAI from 'openai'
import { type FitState, fit, memoryArchive, recallTool } from 'spillway'
import { offlineModel, readLog, summary, TASK, WINDOW } from './offline-model.ts'

const server = await offlineModel()
const client = new OpenAI({ baseURL: `${server.url}/v1`, apiKey: 'offline' })
const archive = memoryArchive()
const recall = recallTool({ archive })
const model = 'gpt-5.2'

const tools: OpenAI.ChatCompletionTool[] = [
  {
    type: 'function',
    function: {
      name: 'read_log',
      description: 'Reads a log file.',
      parameters: { type: 'object', properties: { file: { type: 'string' } }, required: ['file'] },
    },
  },
  recall.chat,
]
const messages: OpenAI.ChatCompletionMessageParam[] = [{ role: 'user', content: TASK }]
let state: FitState | undefined
let usage: unknown
let compactions = 0

for (;;) {
  const fitted = await fit(messages, { model, window: WINDOW, tools, archive, shape: 'chat', state, usage })
  state = fitted.state
  if (fitted.report.outcome === 'rewritten') compactions++
  if (fitted.report.shortfall) throw new Error(fitted.report.shortfall.says)

  const stream = client.chat.completions.stream({
    model,
    tools,
    messages: fitted.messages,
    stream_options: { include_usage: true },
  })
  const completion = await stream.finalChatCompletion()
  usage = completion.usage
  const said = completion.choices[0]?.message
  const calls = said?.tool_calls ?? []
  messages.push({ role: 'assistant', content: said?.content ?? '', ...(calls.length > 0 && { tool_calls: calls }) })
  if (calls.length === 0) {
    await summary(server, said?.content ?? '', compactions)
    break
  }
  for (const { id, function: called } of calls) {
    const content =
      called.name === recall.name ? await recall.answer(called.arguments) : readLog(JSON.parse(called.arguments).file)
    messages.push({ role: 'tool', tool_call_id: id, content })
  }
}
