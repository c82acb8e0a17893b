/** Reads the provider's token count out of an HTTP response while its reader goes on as if nobody did. */
import { fieldsOf } from '../formats/fields.ts'
import { promptTokensOf } from '../planning/budget/index.ts'

/**
 * The same response; `onUsage` gets the usage object before the body's end is read.
 */
export async function countedResponse(response: Response, onUsage: (usage: unknown) => void): Promise<Response> {
  const type = response.headers.get('content-type') ?? ''
  const head = { status: response.status, statusText: response.statusText, headers: response.headers }
  if (type.includes('application/json')) {
    const text = await response.text()
    report(text, onUsage)
    return new Response(text, head)
  }
  if (!type.includes('text/event-stream') || response.body === null) return response
  return new Response(response.body.pipeThrough(eventsSeen(onUsage)), head)
}

/** Passes bytes through, and looks at each event that has a usage in it. */
function eventsSeen(onUsage: (usage: unknown) => void): TransformStream<Uint8Array, Uint8Array> {
  const decoder = new TextDecoder()
  let line: string[] = []
  const look = (): void => {
    const text = line.join('')
    line = []
    if (text.startsWith('data:') && text.includes('"usage"')) report(text.slice('data:'.length), onUsage)
  }
  return new TransformStream({
    transform(chunk, controller) {
      const [rest = '', ...others] = decoder.decode(chunk, { stream: true }).split('\n')
      line.push(rest)
      for (const next of others) {
        look()
        line.push(next)
      }
      controller.enqueue(chunk)
    },
    flush: look,
  })
}

/** Where Messages, Chat and Responses have it, whole and streamed. What is no JSON is not ours to report. */
function report(text: string, onUsage: (usage: unknown) => void): void {
  let body: unknown
  try {
    body = JSON.parse(text)
  } catch {
    return
  }
  const fields = fieldsOf(body)
  const usage = fields?.usage ?? fieldsOf(fields?.message)?.usage ?? fieldsOf(fields?.response)?.usage
  if (promptTokensOf(usage) !== undefined) onUsage(usage)
}
