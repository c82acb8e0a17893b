import { describe, expect, it } from 'vitest'
import { countedResponse } from './counted-response.ts'

const ANTHROPIC = { input_tokens: 3, cache_read_input_tokens: 40, cache_creation_input_tokens: 5 }
const CHAT = { prompt_tokens: 48 }
const RESPONSES = { input_tokens: 48 }

async function seen(response: Response): Promise<{ usages: unknown[]; text: string }> {
  const usages: unknown[] = []
  const text = await (await countedResponse(response, (usage) => usages.push(usage))).text()
  return { usages, text }
}

const json = (body: string): Response => new Response(body, { headers: { 'content-type': 'application/json' } })

/** The bytes in pieces of this size, so that lines and characters are cut anywhere. */
function stream(body: string, size: number): Response {
  const bytes = new TextEncoder().encode(body)
  const pieces = Array.from({ length: Math.ceil(bytes.length / size) }, (_, at) =>
    bytes.slice(at * size, (at + 1) * size),
  )
  const source = new ReadableStream<Uint8Array>({
    pull(controller) {
      const piece = pieces.shift()
      if (piece) controller.enqueue(piece)
      else controller.close()
    },
  })
  return new Response(source, { headers: { 'content-type': 'text/event-stream; charset=utf-8' } })
}

describe('the count in a response', () => {
  it.each([
    ['messages', { usage: ANTHROPIC }, ANTHROPIC],
    ['chat', { usage: CHAT }, CHAT],
    ['responses', { usage: RESPONSES }, RESPONSES],
  ])('of %s is seen, and the body is the same', async (_, body, usage) => {
    const text = JSON.stringify(body)
    expect(await seen(json(text))).toEqual({ usages: [usage], text })
  })

  it.each([1, 7, 10_000])('is seen in events, however the bytes are cut (%d)', async (size) => {
    const events = [
      { type: 'message_start', message: { usage: ANTHROPIC, text: 'naïve 🛳️' } },
      { choices: [], usage: CHAT },
      { type: 'response.completed', response: { usage: RESPONSES } },
      { type: 'message_delta', usage: { output_tokens: 9 } },
    ]
    const body = `${events.map((event) => `event: x\r\ndata: ${JSON.stringify(event)}\r\n\r\n`).join('')}data: [DONE]\n\n`
    expect(await seen(stream(body, size))).toEqual({ usages: [ANTHROPIC, CHAT, RESPONSES], text: body })
    const cut = body.slice(0, body.indexOf('response.completed') + 60)
    expect((await seen(stream(cut, size))).text).toBe(cut)
  })

  it('is not there in what is no JSON, in other types, in an error', async () => {
    expect(await seen(json('<html>"usage"</html>'))).toEqual({ usages: [], text: '<html>"usage"</html>' })
    expect(await seen(new Response('{"usage":{"prompt_tokens":3}}'))).toMatchObject({ usages: [] })
    expect(await seen(new Response(null, { headers: { 'content-type': 'text/event-stream' } }))).toMatchObject({
      text: '',
    })
  })

  it('keeps status and headers, and a cancelled stream cancels its source', async () => {
    let cancelled = false
    const source = new ReadableStream({
      cancel: () => {
        cancelled = true
      },
    })
    const headers = { 'content-type': 'text/event-stream', 'request-id': 'req_1' }
    const response = await countedResponse(new Response(source, { status: 207, headers }), () => {})
    expect([response.status, response.headers.get('request-id')]).toEqual([207, 'req_1'])
    await response.body?.cancel()
    expect(cancelled).toBe(true)
  })
})
