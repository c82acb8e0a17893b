/** Agents of the real AI SDK with `fit` in them (C9): prepareStep and middleware, on the wire of a strict model. */
import { createOpenAICompatible } from '@ai-sdk/openai-compatible'
import { generateText, stepCountIs, streamText, ToolLoopAgent, tool, wrapLanguageModel } from 'ai'
import { afterEach, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { type FitReport, fitMiddleware, fitPrepareStep, type LoopOptions, recallTool } from '../src/index.ts'
import { memoryArchive } from '../src/loops/content-archive.ts'
import { answer, call, type ScriptedModel, say, scriptedModel } from '../src/testing/index.ts'

const TASK = 'Count the herons of the northern lagoon and write the sum into herons.txt.'
const PHRASE = 'herons of the northern lagoon'
const STEPS = 40
const WINDOW = 4_096
const OUTPUT = 'line of output, seen by the keeper. '.repeat(30)

const running: ScriptedModel[] = []
afterEach(async () => {
  for (const model of running.splice(0)) await model.close()
})

async function start(window?: number): Promise<ScriptedModel> {
  let step = 0
  const model = await scriptedModel({
    strict: true,
    ...(window === undefined ? {} : { window }),
    script: () =>
      ++step > STEPS
        ? answer(say('There are 61.'))
        : answer(say(`Pond ${step}.`), call('look', { pond: `pond-${step}` })),
  })
  running.push(model)
  return model
}

function languageModel(server: ScriptedModel) {
  return createOpenAICompatible({ name: 'scripted', baseURL: `${server.url}/v1`, includeUsage: true })('gpt-5.2')
}

const tools = {
  look: tool({
    description: 'Looks at a pond.',
    inputSchema: z.object({ pond: z.string() }),
    execute: async () => OUTPUT,
  }),
}

interface Told extends LoopOptions {
  readonly reports: FitReport[]
}

function told(window: number | undefined): Told {
  const reports: FitReport[] = []
  return { reports, onReport: (report) => reports.push(report), ...(window === undefined ? {} : { window }) }
}

type Run = (server: ScriptedModel, options: LoopOptions) => Promise<string>

const settings = { system: 'You keep birds.', prompt: TASK, tools, stopWhen: stepCountIs(STEPS + 1), maxRetries: 0 }

const wrapped = (server: ScriptedModel, options: LoopOptions) =>
  wrapLanguageModel({ model: languageModel(server), middleware: fitMiddleware(options) })

const RUNS: Readonly<Record<string, Run>> = {
  'prepareStep of generateText': async (server, options) => {
    const prepareStep = fitPrepareStep({ ...options, system: settings.system, tools })
    return (await generateText({ ...settings, model: languageModel(server), prepareStep })).text
  },
  'prepareStep of streamText': async (server, options) => {
    const prepareStep = fitPrepareStep({ ...options, system: settings.system, tools })
    const result = streamText({ ...settings, model: languageModel(server), prepareStep, onError: () => {} })
    await result.consumeStream({
      onError: (error) => {
        throw error
      },
    })
    return result.text
  },
  'prepareStep of ToolLoopAgent': async (server, options) => {
    const prepareStep = fitPrepareStep({ ...options, system: settings.system, tools })
    const { stopWhen } = settings
    const agent = new ToolLoopAgent({
      model: languageModel(server),
      instructions: settings.system,
      tools,
      stopWhen,
      prepareStep,
    })
    return (await agent.generate({ prompt: TASK })).text
  },
  'middleware of generateText': async (server, options) =>
    (await generateText({ ...settings, model: wrapped(server, options) })).text,
  'middleware of streamText': async (server, options) => {
    const result = streamText({ ...settings, model: wrapped(server, options), onError: () => {} })
    await result.consumeStream({
      onError: (error) => {
        throw error
      },
    })
    return result.text
  },
}

describe.each(Object.entries(RUNS))('%s with a window of 4K', (name, run) => {
  it('compacts, goes on to its end, and every request holds the task', async () => {
    const server = await start()
    const { reports, ...options } = told(WINDOW)
    expect(await run(server, options)).toBe('There are 61.')
    expect(server.requests).toHaveLength(STEPS + 1)
    expect(server.refusals()).toEqual([])
    expect(reports.filter(({ outcome }) => outcome === 'rewritten').length).toBeGreaterThan(1)
    for (const { text } of server.requests) expect(text).toContain(PHRASE)
    for (const { tokens, budget } of reports) expect(tokens.after).toBeLessThanOrEqual(budget.budget)
    expect(server.requests.at(-1)?.text.length).toBeLessThan((STEPS * OUTPUT.length) / 4)
    expect(reports.at(-1)?.scale).not.toBe(1)
  })

  it('says floor-too-large before anything is sent', async () => {
    const server = await start()
    const { reports, ...options } = told(60)
    await expect(run(server, options)).rejects.toThrow()
    expect(reports.at(-1)?.outcome).toBe('floor-too-large')
    expect(server.requests).toEqual([])
  })

  it.runIf(name.startsWith('middleware'))('compacts once where the provider refuses a prompt as too long', async () => {
    const server = await start(5_000)
    const { reports, ...options } = told(undefined)
    expect(await run(server, options)).toBe('There are 61.')
    const refused = server.requests.filter(({ status }) => status !== 200)
    expect(refused.length).toBeGreaterThan(0)
    expect(refused.length).toBeLessThan(4)
    expect(reports.at(-1)?.window).toMatchObject({ tokens: 5_000, source: 'error' })
  })
})

describe('in an agent of the AI SDK', () => {
  it('the model brings back what left by itself', async () => {
    const archive = memoryArchive()
    let step = 0
    let recalled = ''
    const server = await scriptedModel({
      strict: true,
      script: ({ text }) => {
        step++
        const [, ref] = /\[spillway ([a-z2-7]{12}): look/.exec(text) ?? []
        if (ref !== undefined && recalled === '') {
          recalled = ref
          return answer(call('recall', { ref }))
        }
        return step > STEPS ? answer(say('Done.')) : answer(call('look', { pond: `pond-${step}` }))
      },
    })
    running.push(server)
    const recall = recallTool({ archive })
    const model = wrapLanguageModel({
      model: languageModel(server),
      middleware: fitMiddleware({ window: WINDOW, archive }),
    })
    const { steps } = await generateText({ ...settings, model, tools: { ...tools, recall: recall.aiSdk } })
    const results = steps.flatMap(({ toolResults }) => toolResults).filter(({ toolName }) => toolName === 'recall')
    expect(results.map(({ output }) => output)).toEqual([OUTPUT])
  })

  it('abort signals and typed outputs are the SDK’s own', async () => {
    const server = await start()
    const aborting = new AbortController()
    aborting.abort()
    const model = wrapped(server, { window: WINDOW })
    await expect(generateText({ ...settings, model, abortSignal: aborting.signal })).rejects.toThrow(/abort/i)
    const result = await generateText({ ...settings, model, stopWhen: stepCountIs(1) })
    const typed: { pond: string } | undefined = result.toolCalls.find((made) => !made.dynamic)?.input
    expect(typed).toEqual({ pond: 'pond-1' })
  })

  it('a Claude gets cache breakpoints as the provider of Anthropic takes them, others none', async () => {
    const marksOf = async (modelId: string): Promise<unknown[]> => {
      const sent: unknown[][] = []
      const doGenerate = async ({ prompt }: { prompt: unknown[] }) => {
        sent.push(prompt)
        return { usage: {} }
      }
      const prompt = [
        { role: 'system', content: 'You keep birds.' },
        { role: 'user', content: [{ type: 'text', text: TASK }], providerOptions: { other: { kept: true } } },
      ]
      const model = { modelId, doGenerate, doStream: async () => ({ stream: new ReadableStream() }) }
      await fitMiddleware().wrapGenerate({ params: { prompt }, model })
      return (sent[0] ?? []).map((message) => (message as { providerOptions?: unknown }).providerOptions)
    }
    expect(await marksOf('claude-opus-5-5')).toEqual([
      undefined,
      { other: { kept: true }, anthropic: { cacheControl: { type: 'ephemeral' } } },
    ])
    expect(await marksOf('gpt-5.2')).toEqual([undefined, { other: { kept: true } }])
  })
})
