/**
 * The official clients with `fit` around them (C9), on the wire: against a strict scripted model, over loopback. What
 * was sent is looked at, not what was reported alone.
 */
import Anthropic from '@anthropic-ai/sdk'
import { betaZodTool } from '@anthropic-ai/sdk/helpers/beta/zod'
import OpenAI from 'openai'
import { afterEach, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { type FitReport, fitClient, type LoopOptions, recallTool, SpillwayError } from '../src/index.ts'
import { memoryArchive } from '../src/loops/content-archive.ts'
import {
  answer,
  call,
  promptTooLong,
  type ReceivedRequest,
  type ScriptedModel,
  type ScriptedModelOptions,
  say,
  scriptedModel,
  serverError,
  slowly,
  think,
} from '../src/testing/index.ts'

const TASK = 'Count the herons of the northern lagoon and write the sum into herons.txt.'
const PHRASE = 'herons of the northern lagoon'
const STEPS = 40
const WINDOW = 4_096
const OUTPUT = 'line of output, seen by the keeper. '.repeat(30)

const running: ScriptedModel[] = []
afterEach(async () => {
  for (const model of running.splice(0)) await model.close()
})

async function start(options: ScriptedModelOptions): Promise<ScriptedModel> {
  const model = await scriptedModel({ strict: true, ...options })
  running.push(model)
  return model
}

/** Calls a tool so many times, with a thought before each, then is done. */
function keeper(steps = STEPS): ScriptedModelOptions['script'] {
  let step = 0
  return () => {
    step++
    if (step > steps) return answer(say('There are 61.'))
    return answer(think(`Pond ${step}.`), say(`Looking at pond ${step}.`), call('look', { pond: `pond-${step}` }))
  }
}

interface Loop {
  readonly model: ScriptedModel
  readonly reports: readonly FitReport[]
  readonly answer: string
}

type Run = (model: ScriptedModel, options: LoopOptions) => Promise<string>

const LOOK = { name: 'look', description: 'Looks at a pond.' }
const SCHEMA = { type: 'object' as const, properties: { pond: { type: 'string' } }, required: ['pond'] }

async function anthropicLoop(model: ScriptedModel, options: LoopOptions, stream = false): Promise<string> {
  const client = fitClient(new Anthropic({ baseURL: model.url, apiKey: 'none', maxRetries: 0 }), options)
  const messages: Anthropic.MessageParam[] = [{ role: 'user', content: TASK }]
  for (;;) {
    const request = {
      model: 'claude-opus-5-5',
      max_tokens: 1_000,
      system: 'You keep birds.',
      thinking: { type: 'adaptive' as const },
      tools: [{ ...LOOK, input_schema: SCHEMA }],
      messages,
    }
    const said = stream ? await client.messages.stream(request).finalMessage() : await client.messages.create(request)
    messages.push({ role: 'assistant', content: said.content })
    const calls = said.content.filter((block) => block.type === 'tool_use')
    if (calls.length === 0) return said.content.map((block) => (block.type === 'text' ? block.text : '')).join('')
    messages.push({
      role: 'user',
      content: calls.map(({ id }) => ({ type: 'tool_result' as const, tool_use_id: id, content: OUTPUT })),
    })
  }
}

async function chatLoop(model: ScriptedModel, options: LoopOptions, stream = false): Promise<string> {
  const client = fitClient(new OpenAI({ baseURL: `${model.url}/v1`, apiKey: 'none', maxRetries: 0 }), options)
  const messages: OpenAI.ChatCompletionMessageParam[] = [
    { role: 'developer', content: 'You keep birds.' },
    { role: 'user', content: TASK },
  ]
  for (;;) {
    const tools = [{ type: 'function' as const, function: { ...LOOK, parameters: SCHEMA } }]
    const request = { model: 'gpt-5.2', messages, tools }
    const said = stream
      ? await client.chat.completions.stream({ ...request, stream_options: { include_usage: true } }).finalMessage()
      : (await client.chat.completions.create(request)).choices[0]?.message
    if (!said) throw new Error('no answer')
    messages.push({
      role: 'assistant',
      content: said.content,
      ...(said.tool_calls?.length ? { tool_calls: said.tool_calls } : {}),
    })
    if (!said.tool_calls?.length) return said.content ?? ''
    for (const { id } of said.tool_calls) messages.push({ role: 'tool', tool_call_id: id, content: OUTPUT })
  }
}

async function responsesLoop(model: ScriptedModel, options: LoopOptions, stream = false): Promise<string> {
  const client = fitClient(new OpenAI({ baseURL: `${model.url}/v1`, apiKey: 'none', maxRetries: 0 }), options)
  const input: OpenAI.Responses.ResponseInputItem[] = [{ role: 'user', content: TASK }]
  for (;;) {
    const tools = [{ type: 'function' as const, ...LOOK, parameters: SCHEMA, strict: false }]
    const request = { model: 'gpt-5.2', instructions: 'You keep birds.', input, tools }
    const said: OpenAI.Responses.Response = stream
      ? await client.responses.stream(request).finalResponse()
      : await client.responses.create(request)
    for (const item of said.output) input.push(withoutParsed(item))
    const calls = said.output.filter((item) => item.type === 'function_call')
    if (calls.length === 0) return textsIn(said.output)
    for (const { call_id } of calls) input.push({ type: 'function_call_output', call_id, output: OUTPUT })
  }
}

function textsIn(output: OpenAI.Responses.Response['output']): string {
  return output
    .flatMap((item) => (item.type === 'message' ? item.content : []))
    .map((part) => (part.type === 'output_text' ? part.text : ''))
    .join('')
}

/** The streaming helper adds what the API does not take back. */
function withoutParsed(item: OpenAI.Responses.ResponseOutputItem): OpenAI.Responses.ResponseInputItem {
  const { parsed_arguments: _, ...rest } = item as unknown as Record<string, unknown>
  return rest as unknown as OpenAI.Responses.ResponseInputItem
}

const LOOPS: Readonly<Record<string, Run>> = {
  'messages.create': (model, options) => anthropicLoop(model, options),
  'messages.stream': (model, options) => anthropicLoop(model, options, true),
  'chat.completions.create': (model, options) => chatLoop(model, options),
  'chat.completions.stream': (model, options) => chatLoop(model, options, true),
  'responses.create': (model, options) => responsesLoop(model, options),
  'responses.stream': (model, options) => responsesLoop(model, options, true),
}

async function runLoop(run: Run, options: LoopOptions = {}, model?: ScriptedModel): Promise<Loop> {
  const server = model ?? (await start({ script: keeper() }))
  const reports: FitReport[] = []
  const said = await run(server, { window: WINDOW, onReport: (report) => reports.push(report), ...options })
  return { model: server, reports, answer: said }
}

function conversationOf({ body }: ReceivedRequest): readonly unknown[] {
  return body.input !== undefined && typeof body.input !== 'string' ? body.input : body.messages
}

describe.each(Object.entries(LOOPS))('%s with a window of 4K', (_, run) => {
  it('compacts, goes on to its end, and every request holds the task', async () => {
    const { model, reports, answer } = await runLoop(run)
    expect(answer).toBe('There are 61.')
    expect(model.requests).toHaveLength(STEPS + 1)
    expect(model.refusals()).toEqual([])
    expect(reports.filter(({ outcome }) => outcome === 'rewritten').length).toBeGreaterThan(1)
    for (const request of model.requests) expect(JSON.stringify(conversationOf(request))).toContain(PHRASE)
    for (const { tokens, budget } of reports) expect(tokens.after).toBeLessThanOrEqual(budget.budget)
    const uncut = STEPS * OUTPUT.length
    expect(model.requests.at(-1)?.text.length).toBeLessThan(uncut / 4)
  })

  it('learns from usage: what the provider counts is what it compares', async () => {
    const { reports } = await runLoop(run)
    expect(reports[0]?.scale).toBe(1)
    expect(reports.at(-1)?.scale).not.toBe(1)
  })

  it('says floor-too-large before anything is sent', async () => {
    const model = await start({ script: keeper() })
    await expect(runLoop(run, { window: 60 }, model)).rejects.toThrow(/floor|protected|needs|tokens/)
    expect(model.requests).toEqual([])
  })

  it('compacts once and goes on when the provider refuses a prompt as too long', async () => {
    const limit = 5_000
    const model = await start({ script: keeper(), window: limit })
    // The window it assumes is far above what the provider takes.
    const { reports, answer } = await runLoop(run, { window: undefined as unknown as number }, model)
    expect(answer).toBe('There are 61.')
    const refused = model.requests.filter(({ status }) => status !== 200)
    expect(refused.length).toBeGreaterThan(0)
    expect(refused.length).toBeLessThan(4)
    expect(model.requests.length - refused.length).toBe(STEPS + 1)
    expect(reports.at(-1)?.window).toMatchObject({ tokens: limit, source: 'error' })
  })

  it('gives back the provider’s refusal where nothing helps, without asking again', async () => {
    const model = await start({ script: [promptTooLong(9_000, 8_000), answer(say('never'))] })
    await expect(runLoop(run, { window: 100_000 }, model)).rejects.toThrow(/too long|maximum context|exceeds/)
    expect(model.requests).toHaveLength(1)
  })
})

describe('what is unchanged', () => {
  it('a small conversation goes out as it is, and reports so', async () => {
    const model = await start({ script: keeper(2) })
    const { reports } = await runLoop((server, options) => chatLoop(server, options), { window: 100_000 }, model)
    expect(reports.map(({ outcome }) => outcome)).toEqual(['unchanged', 'unchanged', 'unchanged'])
    expect(model.requests[2]?.body.messages).toHaveLength(6)
  })

  it('errors of the provider, retries and aborts are the client’s own', async () => {
    const model = await start({ script: [serverError(), answer(say('ok'))] })
    const client = fitClient(new Anthropic({ baseURL: model.url, apiKey: 'none', maxRetries: 1 }))
    expect(client).toBeInstanceOf(Anthropic)
    const request = { model: 'claude-opus-5-5', max_tokens: 10, messages: [{ role: 'user' as const, content: 'hi' }] }
    expect((await client.messages.create(request)).content).toMatchObject([{ text: 'ok' }])
    expect(model.requests.map(({ status }) => status)).toEqual([500, 200])
    await expect(client.messages.create(request)).rejects.toBeInstanceOf(Anthropic.BadRequestError)
  })

  it('a stream ends when it is aborted', async () => {
    const words = say('word '.repeat(2_000))
    const model = await start({
      script: ({ body }) => slowly(body.stream === true ? 20 : 3_000, words),
    })
    const openai = fitClient(new OpenAI({ baseURL: `${model.url}/v1`, apiKey: 'none' }))
    const messages = [{ role: 'user' as const, content: 'hi' }]
    const stream = await openai.chat.completions.create({ model: 'gpt-5.2', messages, stream: true })
    let chunks = 0
    for await (const _ of stream) if (++chunks === 3) stream.controller.abort()
    expect(chunks).toBe(3)
    const aborting = new AbortController()
    const pending = openai.chat.completions.create({ model: 'gpt-5.2', messages }, { signal: aborting.signal })
    setTimeout(() => aborting.abort(), 30)
    await expect(pending).rejects.toBeInstanceOf(OpenAI.APIUserAbortError)
  })

  it('withResponse, raw responses and helpers with typed tools work', async () => {
    const model = await start({ script: keeper(3) })
    const client = fitClient(new Anthropic({ baseURL: model.url, apiKey: 'none' }))
    const request = { model: 'claude-sonnet-4-5', max_tokens: 99, messages: [{ role: 'user' as const, content: TASK }] }
    const { data, response } = await client.messages.create(request).withResponse()
    expect([data.role, response.status]).toEqual(['assistant', 200])
    const openai = fitClient(new OpenAI({ baseURL: `${model.url}/v1`, apiKey: 'none' }))
    const ponds: string[] = []
    const runner = openai.chat.completions.runTools({
      model: 'gpt-5.2',
      messages: [{ role: 'user', content: TASK }],
      tools: [
        {
          type: 'function',
          function: {
            ...LOOK,
            parameters: SCHEMA,
            parse: (text: string) => JSON.parse(text) as { pond: string },
            function: ({ pond }: { pond: string }) => {
              ponds.push(pond)
              return OUTPUT
            },
          },
        },
      ],
    })
    expect(await runner.finalContent()).toBe('There are 61.')
    expect(ponds).toEqual(['pond-2', 'pond-3'])
  })

  it('the tool runner of Anthropic works: of a thread that the provider keeps, the end passes as it is', async () => {
    const model = await start({ script: keeper(3), strict: false })
    const reports: FitReport[] = []
    const client = fitClient(new Anthropic({ baseURL: model.url, apiKey: 'none' }), {
      onReport: (report) => reports.push(report),
    })
    const look = betaZodTool({ ...LOOK, inputSchema: z.object({ pond: z.string() }), run: () => OUTPUT })
    const messages = [{ role: 'user' as const, content: TASK }]
    const runner = client.beta.messages.toolRunner({
      model: 'claude-opus-5-5',
      max_tokens: 99,
      tools: [look],
      messages,
    })
    expect((await runner.runUntilDone()).content).toMatchObject([{ text: 'There are 61.' }])
    const later = model.requests.slice(1)
    expect(later.map(({ body }) => body.messages.length)).toEqual([1, 1, 1])
    for (const { text } of later) expect(text).toContain('"type":"tool_result"')
    expect(reports).toHaveLength(1)
  })

  it('a conversation that the provider keeps passes as it is', async () => {
    const model = await start({ script: () => answer(say('ok')), strict: false })
    const reports: FitReport[] = []
    const client = fitClient(new OpenAI({ baseURL: `${model.url}/v1`, apiKey: 'none' }), {
      onReport: (report) => reports.push(report),
    })
    await client.responses.create({
      model: 'gpt-5.2',
      previous_response_id: 'resp_1',
      input: [{ role: 'user', content: 'x' }],
    })
    await client.responses.create({ model: 'gpt-5.2', input: 'x' })
    await client.models.list().catch(() => undefined)
    expect(reports).toEqual([])
  })
})

describe('what the wrapper sets', () => {
  it('cache breakpoints and drop_block with its beta header on Anthropic', async () => {
    const { model } = await runLoop(LOOPS['messages.create'] as Run)
    const marks = (request: ReceivedRequest): number => request.text.split('"cache_control"').length - 1
    for (const request of model.requests) {
      expect(marks(request)).toBeGreaterThan(0)
      expect(marks(request)).toBeLessThanOrEqual(4)
    }
    const last = model.requests.at(-1)
    expect(last?.body.thinking).toMatchObject({ block_binding: { prefix_mismatch_behavior: 'drop_block' } })
    expect(last?.headers['anthropic-beta']).toContain('thinking-binding-controls')
    expect(model.requests[0]?.body.thinking).toEqual({ type: 'adaptive' })
    const read = model.requests.filter(({ usage }) => (usage?.cache_read_input_tokens ?? 0) > 0)
    expect(read.length).toBeGreaterThan(STEPS / 2)
  })

  it('the diet, where it is asked for', async () => {
    const model = await start({ script: keeper(1) })
    const client = fitClient(new OpenAI({ baseURL: `${model.url}/v1`, apiKey: 'none' }), { diet: true })
    const parameters = { ...SCHEMA, title: 'Arguments' }
    const tools = [{ type: 'function' as const, function: { ...LOOK, parameters } }]
    await client.chat.completions.create({ model: 'gpt-5.2', messages: [{ role: 'user', content: TASK }], tools })
    expect(JSON.stringify(model.requests[0]?.body.tools)).not.toContain('Arguments')
  })

  it('keeps several conversations apart', async () => {
    const model = await start({ script: () => answer(call('look', { pond: 'p' })), strict: true })
    const client = fitClient(new OpenAI({ baseURL: `${model.url}/v1`, apiKey: 'none' }), { window: WINDOW })
    const threads = ['herons', 'storks'].map((bird) => ({
      bird,
      messages: [{ role: 'user', content: `Count the ${bird}.` }] as OpenAI.ChatCompletionMessageParam[],
    }))
    for (let step = 0; step < 20; step++) {
      for (const { messages } of threads) {
        const tools = [{ type: 'function' as const, function: { ...LOOK, parameters: SCHEMA } }]
        const said = await client.chat.completions.create({ model: 'gpt-5.2', messages, tools })
        const [choice] = said.choices
        if (!choice) throw new Error('no answer')
        messages.push(choice.message)
        for (const { id } of choice.message.tool_calls ?? [])
          messages.push({ role: 'tool', tool_call_id: id, content: OUTPUT })
      }
    }
    expect(model.refusals()).toEqual([])
    for (const [index, { text }] of model.requests.entries()) {
      expect(text).toContain(threads[index % 2]?.bird)
      expect(text).not.toContain(threads[(index + 1) % 2]?.bird)
    }
  })
})

describe('the way back', () => {
  it('brings back what left, whole, by search and in parts, in every shape', async () => {
    const archive = memoryArchive()
    const model = await start({ script: keeper(12) })
    await runLoop(LOOPS['chat.completions.create'] as Run, { archive, folder: '/nowhere' }, model)
    const sent = model.requests.at(-1)?.text ?? ''
    const ref = /\[spillway (?:context note )?([a-z2-7]{12}):/.exec(sent)?.[1] ?? ''
    const tool = recallTool({ archive })
    expect(await tool.answer({ ref })).toMatch(/look/)
    expect(await tool.answer(JSON.stringify({ words: 'seen by the keeper' }))).toMatch(/^[a-z2-7]{12} /)
    for (const spelled of [
      `[spillway ${ref}: look, 9 characters. Back: …]`,
      `[spillway context note ${ref}: 8 earlier`,
      `spillway recall ${ref}`,
    ]) {
      expect(await tool.answer({ ref: spelled })).toBe(await tool.answer({ ref }))
    }
    const short = recallTool({ archive, chars: 100 })
    const [hit] = (await archive.search?.('keeper')) ?? []
    const first = await short.answer({ ref: hit?.ref })
    expect(first).toMatch(/\[characters 0 to 100 of \d+; go on with from: 100\]$/)
    expect(await short.answer({ ref: hit?.ref, from: 100 })).toMatch(/\[characters 100 to/)
    for (const wrong of [{ ref: 'aaaaaaaaaaaa' }, {}, 'nonsense', { ref: 5 }, null]) {
      expect(await tool.answer(wrong)).toMatch(/^recall: /)
    }
    const shapes = [tool.messages, tool.chat.function, tool.responses, tool.mcp]
    for (const shape of shapes) expect(shape.name).toBe('recall')
  })

  it('tells the model when the archive fails, and does not end the loop', async () => {
    const archive = { put: () => {}, get: () => Promise.reject(new SpillwayError('unreadable', 'damaged')) }
    expect(await recallTool({ archive }).answer({ ref: 'aaaaaaaaaaaa' })).toBe('recall failed: damaged')
    expect(await recallTool({ archive }).answer({ words: 'x' })).toMatch(/cannot be searched/)
  })
})
