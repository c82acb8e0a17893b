import Anthropic from '@anthropic-ai/sdk'
import { afterEach, describe, expect, it } from 'vitest'
import {
  answer,
  call,
  garbage,
  overloaded,
  promptTooLong,
  rateLimited,
  type ScriptedModel,
  type ScriptedModelOptions,
  say,
  scriptedModel,
  serverError,
  slowly,
  think,
} from './index.ts'

const running: ScriptedModel[] = []
afterEach(async () => {
  for (const model of running.splice(0)) await model.close()
})

async function start(options: ScriptedModelOptions): Promise<{ model: ScriptedModel; client: Anthropic }> {
  const model = await scriptedModel(options)
  running.push(model)
  return { model, client: new Anthropic({ baseURL: model.url, apiKey: 'dummy', maxRetries: 0 }) }
}

const HELLO = {
  model: 'claude-opus-5-5',
  max_tokens: 1000,
  messages: [{ role: 'user' as const, content: 'Hello' }],
}

describe('the scripted model, seen by the official client', () => {
  it('answers a list in order, whole', async () => {
    const { client } = await start({ script: [answer(say('One')), answer(call('Bash', { command: 'ls' }))] })
    const first = await client.messages.create(HELLO)
    expect(first.content).toEqual([{ type: 'text', text: 'One' }])
    expect(first.stop_reason).toBe('end_turn')
    const second = await client.messages.create(HELLO)
    expect(second.content).toMatchObject([{ type: 'tool_use', name: 'Bash', input: { command: 'ls' } }])
    expect(second.stop_reason).toBe('tool_use')
    expect(second.id).not.toBe(first.id)
  })

  it('streams the same answer that it gives whole', async () => {
    const long = 'a long line of text, '.repeat(100)
    const script = () => answer(think('Hm, 🛳️.'), say(long), call('Write', { file: 'a.txt', text: long }))
    const { client } = await start({ script })
    const streamed = await client.messages.stream(HELLO).finalMessage()
    expect(streamed.content).toMatchObject([
      { type: 'thinking', thinking: 'Hm, 🛳️.', signature: expect.stringMatching(/^sig-/) },
      { type: 'text', text: long },
      { type: 'tool_use', name: 'Write', input: { file: 'a.txt', text: long } },
    ])
    expect(streamed.stop_reason).toBe('tool_use')
    expect(streamed.usage.output_tokens).toBeGreaterThan(2 * Math.floor(long.length / 4))
  })

  it('asks a function, with the request as it came', async () => {
    const { model, client } = await start({ script: (request) => answer(say(`${request.body.messages.length}`)) })
    const reply = await client.messages.create(HELLO)
    expect(reply.content).toEqual([{ type: 'text', text: '1' }])
    expect(model.requests).toHaveLength(1)
    expect(JSON.parse(model.requests[0]?.text ?? '')).toEqual(model.requests[0]?.body)
    expect(model.requests[0]).toMatchObject({ status: 200, path: '/v1/messages' })
    expect(model.requests[0]?.headers['content-type']).toBe('application/json')
  })

  it('says so when the script has no reply left', async () => {
    const { client } = await start({ script: [] })
    await expect(client.messages.create(HELLO)).rejects.toThrow(/no reply left/)
  })

  it('counts tokens: more text, more tokens, and the sum of usage is the count', async () => {
    const { client } = await start({ script: () => answer(say('ok')) })
    const count = await client.messages.countTokens({ model: HELLO.model, messages: HELLO.messages })
    const longer = await client.messages.countTokens({
      model: HELLO.model,
      messages: [{ role: 'user', content: `Hello${'!'.repeat(400)}` }],
    })
    expect(longer.input_tokens - count.input_tokens).toBe(100)
    const { usage } = await client.messages.create(HELLO)
    expect(usage.input_tokens).toBe(count.input_tokens)
  })

  it.each([
    ['an overload', overloaded(), 529, 'overloaded_error'],
    ['a rate limit', rateLimited(7), 429, 'rate_limit_error'],
    ['a server error', serverError(), 500, 'api_error'],
  ])('fails with %s', async (_, failure, status, type) => {
    const { model, client } = await start({ script: [failure, answer(say('again'))] })
    const error = await client.messages.create(HELLO).catch((thrown: unknown) => thrown)
    expect(error).toMatchObject({ status, error: { type: 'error', error: { type, message: failure.message } } })
    if (error instanceof Anthropic.RateLimitError) expect(error.headers?.get('retry-after')).toBe('7')
    expect(model.requests[0]?.status).toBe(status)
    expect((await client.messages.create(HELLO)).content).toEqual([{ type: 'text', text: 'again' }])
  })

  it('says that the prompt is too long, when the script says so and above the given window', async () => {
    const { client } = await start({ script: [promptTooLong(210_000, 200_000), answer(say('ok'))], window: 200 })
    await expect(client.messages.create(HELLO)).rejects.toThrow(/prompt is too long: 210000 tokens > 200000 maximum/)
    const long = { ...HELLO, messages: [{ role: 'user' as const, content: 'long '.repeat(200) }] }
    await expect(client.messages.create(long)).rejects.toThrow(/prompt is too long: \d+ tokens > 200 maximum/)
    expect((await client.messages.create(HELLO)).content).toEqual([{ type: 'text', text: 'ok' }])
  })

  it('streams slowly where asked', async () => {
    const { client } = await start({ script: [slowly(40, say('Wait.'))] })
    const arrivals: number[] = []
    const stream = client.messages.stream(HELLO).on('streamEvent', () => arrivals.push(performance.now()))
    expect(await stream.finalText()).toBe('Wait.')
    expect((arrivals.at(-1) ?? 0) - (arrivals[0] ?? 0)).toBeGreaterThan(40 * (arrivals.length - 1) * 0.8)
    expect(arrivals.length).toBeGreaterThan(4)
  })

  it('sends garbage, whole and in the middle of a stream', async () => {
    const { client } = await start({ script: [garbage(), garbage('data: {{{\n\n', say('I begin'))] })
    await expect(client.messages.create(HELLO)).rejects.toThrow(/JSON/)
    let text = ''
    const stream = client.messages.stream(HELLO).on('text', (delta) => {
      text += delta
    })
    await expect(stream.finalMessage()).rejects.toThrow()
    expect(text).toBe('I begin')
  })

  it('drops the connection before the answer', async () => {
    const { client } = await start({ script: [{ drop: 'before-answer' }] })
    await expect(client.messages.create(HELLO)).rejects.toBeInstanceOf(Anthropic.APIConnectionError)
  })

  it('drops the connection in the middle of the answer', async () => {
    const { client } = await start({ script: [{ drop: 'mid-answer' }] })
    let text = ''
    const stream = client.messages.stream(HELLO).on('text', (delta) => {
      text += delta
    })
    await expect(stream.finalMessage()).rejects.toThrow()
    expect(text).not.toBe('')
  })

  it('stalls until the client leaves', async () => {
    const { client } = await start({ script: [{ stall: true, content: [say('I begin')] }] })
    const stream = client.messages.stream(HELLO)
    stream.on('text', () => stream.abort())
    await expect(stream.finalMessage()).rejects.toBeInstanceOf(Anthropic.APIUserAbortError)
  })

  it('refuses what is no request', async () => {
    const { model } = await start({ script: [] })
    const post = (path: string, body: string) => fetch(model.url + path, { method: 'POST', body })
    expect((await post('/v1/messages', '{')).status).toBe(400)
    expect((await post('/v1/messages', '{"model":"m"}')).status).toBe(400)
    expect((await post('/v1/messages', '{"messages":[null]}')).status).toBe(400)
    expect((await post('/v1/responses', '{"messages":[]}')).status).toBe(400)
    expect((await post('/v1/chat/completions', '[]')).status).toBe(400)
    expect((await post('/v1/elsewhere', '{}')).status).toBe(404)
    expect(model.requests).toHaveLength(0)
  })

  it('reports an error of the script instead of hanging', async () => {
    const { client } = await start({
      script: () => {
        throw new Error('the script is broken')
      },
    })
    await expect(client.messages.create(HELLO)).rejects.toThrow(/the script is broken/)
  })
})

describe('the strict scripted model', () => {
  const asked = { role: 'user', content: 'Hello' } as const
  const next = { role: 'user', content: 'And?' } as const

  it('remembers what it thought behind which conversation, and refuses it behind another', async () => {
    const { model, client } = await start({ script: () => answer(think('Hm.'), say('Hi.')), strict: true })
    const { content } = await client.messages.create({ ...HELLO, messages: [asked] })
    const said = { role: 'assistant', content } as const
    await client.messages.create({ ...HELLO, messages: [asked, said, next] })
    const edited = { ...HELLO, messages: [{ ...asked, content: 'Hallo' }, said, next] }
    await expect(client.messages.create(edited)).rejects.toThrow(/bound to a different conversation/)
    await expect(client.messages.countTokens(edited)).rejects.toThrow(/bound to a different conversation/)
    await client.messages.create({ ...edited, model: 'claude-opus-4-8' })
    expect(model.refusals().map(({ refusal, status }) => [refusal?.rule, status])).toEqual([
      ['A33', 400],
      ['A33', 400],
    ])
  })

  it('knows a session of elsewhere once it has learned it', async () => {
    const { model, client } = await start({ script: () => answer(say('Hi.')), strict: true })
    const thought = { type: 'thinking', thinking: 'Hm.', signature: 'made elsewhere' } as const
    const said = { role: 'assistant' as const, content: [thought] }
    const request = { ...HELLO, messages: [asked, said, next] }
    await expect(client.messages.create(request)).rejects.toThrow(/Invalid `signature` in `thinking` block/)
    model.learn(request)
    expect((await client.messages.create(request)).content).toEqual([{ type: 'text', text: 'Hi.' }])
  })

  it("refuses a prompt longer than the model's own window, unless another is given", async () => {
    const long = { ...HELLO, messages: [{ role: 'user' as const, content: 'word '.repeat(200_000) }] }
    const own = await start({ script: () => answer(say('Hi.')), strict: true })
    await expect(own.client.messages.create(long)).rejects.toThrow(/prompt is too long: \d+ tokens > 200000 maximum/)
    const given = await start({ script: () => answer(say('Hi.')), strict: true, window: 1_000_000 })
    expect((await given.client.messages.create(long)).content).toEqual([{ type: 'text', text: 'Hi.' }])
  })
})
