import { afterEach, describe, expect, it } from 'vitest'
import {
  answer,
  call,
  overloaded,
  promptTooLong,
  rateLimited,
  type ScriptedModel,
  type ScriptedModelOptions,
  say,
  scriptedModel,
  think,
} from './index.ts'

const running: ScriptedModel[] = []
afterEach(async () => {
  for (const model of running.splice(0)) await model.close()
})

const LONG = 'a long line of text, '.repeat(100)
const script = () => answer(think('Hm, 🛳️.'), say(LONG), call('Write', { file: 'a.txt', text: LONG }))
const CHAT = { model: 'gpt-5.2', messages: [{ role: 'user', content: 'Hello' }] }
const RESPONSES = { model: 'gpt-5.2', input: 'Hello' }

async function start(options: ScriptedModelOptions): Promise<ScriptedModel> {
  const model = await scriptedModel(options)
  running.push(model)
  return model
}

async function post(model: ScriptedModel, path: string, body: unknown): Promise<Response> {
  return fetch(`${model.url}/v1/${path}`, { method: 'POST', body: JSON.stringify(body) })
}

/** The data of every event of a stream. */
async function eventsOf(response: Response): Promise<Record<string, unknown>[]> {
  expect(response.headers.get('content-type')).toMatch(/^text\/event-stream/)
  const events = (await response.text()).split('\n\n').filter((event) => event !== '')
  return events
    .map((event) => event.replace(/^event: .*\n/, '').replace('data: ', ''))
    .filter((data) => data !== '[DONE]')
    .map((data) => JSON.parse(data))
}

interface ChatBody {
  readonly choices: readonly [{ readonly finish_reason: string; readonly message: ChatMessage }]
  readonly usage: { readonly prompt_tokens: number; readonly prompt_tokens_details: { readonly cached_tokens: number } }
  readonly error?: { readonly message: string }
}

interface ChatMessage {
  readonly content: string | null
  readonly reasoning_content?: string
  readonly tool_calls: readonly [{ readonly id: string; readonly function: { readonly arguments: string } }]
}

interface ResponsesBody {
  readonly output: readonly { readonly call_id?: string }[]
  readonly error?: { readonly message: string }
}

async function chat(model: ScriptedModel, body: unknown): Promise<ChatBody> {
  return JSON.parse(await (await post(model, 'chat/completions', body)).text())
}

async function responses(model: ScriptedModel, body: unknown): Promise<ResponsesBody> {
  return JSON.parse(await (await post(model, 'responses', body)).text())
}

interface Chunk {
  readonly choices: readonly { readonly delta: Delta; readonly finish_reason: string | null }[]
  readonly usage?: unknown
}

interface Delta {
  readonly content?: string | null
  readonly reasoning_content?: string
  readonly tool_calls?: readonly { readonly id?: string; readonly function: { readonly arguments: string } }[]
}

describe('the scripted model as Chat Completions', () => {
  it('says an answer whole and streamed, with the same words', async () => {
    const model = await start({ script, strict: true })
    const whole = await chat(model, CHAT)
    const [choice] = whole.choices
    expect(choice).toMatchObject({ finish_reason: 'tool_calls', message: { role: 'assistant', content: LONG } })
    expect(JSON.parse(choice.message.tool_calls[0].function.arguments)).toEqual({ file: 'a.txt', text: LONG })
    const asked = { ...CHAT, stream: true, stream_options: { include_usage: true } }
    const chunks = (await eventsOf(await post(model, 'chat/completions', asked))) as unknown as Chunk[]
    const deltas = chunks.flatMap(({ choices }) => choices.map(({ delta }) => delta))
    const calls = deltas.flatMap((delta) => delta.tool_calls ?? [])
    expect(deltas.length).toBeGreaterThan(10)
    expect(deltas.map(({ content }) => content ?? '').join('')).toBe(LONG)
    expect(calls.map((piece) => piece.function.arguments).join('')).toBe(
      choice.message.tool_calls[0].function.arguments,
    )
    expect(calls[0]?.id).toMatch(/^call_/)
    expect(chunks.at(-2)?.choices[0]?.finish_reason).toBe('tool_calls')
    expect(chunks.at(-1)?.usage).toEqual(whole.usage)
  })

  it('gives reasoning and takes it back as DeepSeek does, and refuses a history without it', async () => {
    const model = await start({ script, strict: true })
    const asked = { ...CHAT, model: 'deepseek-reasoner' }
    const [{ message }] = (await chat(model, asked)).choices
    expect(message.reasoning_content).toBe('Hm, 🛳️.')
    const result = { role: 'tool', tool_call_id: message.tool_calls[0].id, content: 'written' }
    const next = { ...asked, messages: [...asked.messages, message, result] }
    expect((await post(model, 'chat/completions', next)).status).toBe(200)
    const { reasoning_content: _, ...bare } = message
    const refused = await post(model, 'chat/completions', { ...next, messages: [...asked.messages, bare, result] })
    expect(refused.status).toBe(400)
    expect(model.refusals().map(({ refusal }) => refusal?.rule)).toEqual(['F10'])
  })

  it('gives Mistral ids that Mistral takes', async () => {
    const model = await start({ script, strict: true })
    const asked = { ...CHAT, model: 'mistral-large-latest' }
    const [{ message }] = (await chat(model, asked)).choices
    const result = { role: 'tool', tool_call_id: message.tool_calls[0].id, content: 'written' }
    const next = { ...asked, messages: [...asked.messages, message, result] }
    expect((await post(model, 'chat/completions', next)).status).toBe(200)
  })

  it("fails in OpenAI's words", async () => {
    const model = await start({ script: [overloaded(), rateLimited(7), promptTooLong(5, 4)] })
    const ask = () => post(model, 'chat/completions', CHAT)
    expect((await ask()).status).toBe(503)
    const limited = await ask()
    expect([limited.status, limited.headers.get('retry-after')]).toEqual([429, '7'])
    expect(await limited.json()).toMatchObject({ error: { code: 'rate_limit_exceeded' } })
    expect(await (await ask()).json()).toMatchObject({
      error: { type: 'invalid_request_error', code: 'context_length_exceeded' },
    })
  })

  it("refuses an unanswered call in OpenAI's words, and a prompt longer than the model's window", async () => {
    const model = await start({ script, strict: true })
    const [{ message }] = (await chat(model, CHAT)).choices
    const unanswered = { ...CHAT, messages: [...CHAT.messages, message, { role: 'user', content: '?' }] }
    const refused = await post(model, 'chat/completions', unanswered)
    expect(refused.status).toBe(400)
    expect(await refused.text()).toMatch(/must be followed by tool messages/)
    const long = { ...CHAT, messages: [{ role: 'user', content: 'word '.repeat(500_000) }] }
    expect((await chat(model, long)).error?.message).toMatch(/maximum context length/)
    expect(model.refusals().map(({ refusal }) => refusal?.rule)).toEqual(['B01', 'B11'])
  })

  it('answers a request with tools and parts that are none', async () => {
    const model = await start({ script })
    for (const tools of [null, 'none', [null], {}]) {
      expect((await post(model, 'chat/completions', { ...CHAT, tools })).status).toBe(200)
      expect((await post(model, 'responses', { ...RESPONSES, tools })).status).toBe(200)
      expect((await post(model, 'messages', { ...CHAT, tools })).status).toBe(200)
    }
  })

  it('caches long prompts without marks', async () => {
    const model = await start({ script: () => answer(say('ok')), clock: () => 0 })
    const asked = { ...CHAT, messages: [{ role: 'system', content: 'rule '.repeat(2000) }, ...CHAT.messages] }
    const cached = async () => {
      const { usage } = await chat(model, asked)
      return usage.prompt_tokens_details.cached_tokens / usage.prompt_tokens
    }
    expect(await cached()).toBe(0)
    expect(await cached()).toBe(1)
  })
})

describe('the scripted model as Responses', () => {
  it('says an answer whole and streamed, with the same items, and takes them back', async () => {
    const model = await start({ script, strict: true })
    const whole = await responses(model, RESPONSES)
    expect(whole).toMatchObject({ object: 'response', status: 'completed' })
    expect(whole.output).toMatchObject([
      { type: 'reasoning', summary: [{ text: 'Hm, 🛳️.' }] },
      { type: 'message', content: [{ type: 'output_text', text: LONG }] },
      { type: 'function_call', name: 'Write' },
    ])
    const events = await eventsOf(await post(model, 'responses', { ...RESPONSES, stream: true }))
    expect(events.map((event) => event.sequence_number)).toEqual(events.map((_, index) => index))
    const pieces = events.filter(({ type }) => type === 'response.output_text.delta').map(({ delta }) => delta)
    expect(pieces.length).toBeGreaterThan(3)
    expect(pieces.join('')).toBe(LONG)
    const done = events.filter(({ type }) => type === 'response.output_item.done').map(({ item }) => item)
    expect(events.at(-1)).toMatchObject({ type: 'response.completed', response: { output: done } })
    const [question] = [{ role: 'user', content: RESPONSES.input }]
    const output = { type: 'function_call_output', call_id: whole.output[2]?.call_id, output: 'written' }
    const next = { ...RESPONSES, input: [question, ...whole.output, output] }
    expect((await post(model, 'responses', next)).status).toBe(200)
    const parted = { ...RESPONSES, input: [question, ...whole.output.slice(1), output] }
    expect((await responses(model, parted)).error?.message).toMatch(/required 'reasoning' item/)
  })

  it('says when an answer was cut short', async () => {
    const model = await start({ script: () => ({ ...answer(say('I be')), stopReason: 'max_tokens' }) })
    const whole = await responses(model, RESPONSES)
    expect(whole).toMatchObject({ status: 'incomplete', incomplete_details: { reason: 'max_output_tokens' } })
  })
})
