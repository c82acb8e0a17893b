import type { SDKMessage } from '@anthropic-ai/claude-agent-sdk'
import { describe, expect, it } from 'vitest'
import { messageReader } from '../events/message-reader.ts'
import { createBoundary } from './boundary.ts'
import type { AgentSdk } from './load-sdk.ts'
import { type Ending, runQuery } from './run-query.ts'

interface Played {
  readonly messages: readonly Record<string, unknown>[]
  readonly thrown?: unknown
  readonly stderr?: string
  readonly aborted?: boolean
}

/** A query that sends these messages and then ends, or throws. */
async function endOf({ messages, thrown, stderr = '', aborted = false }: Played): Promise<Ending> {
  async function* play(): AsyncGenerator<SDKMessage> {
    for (const message of messages) yield message as unknown as SDKMessage
    if (thrown !== undefined) throw thrown
  }
  const sdk = { query: play } as unknown as AgentSdk
  return runQuery({
    sdk,
    prompt: 'x',
    options: { abortController: new AbortController() },
    figures: messageReader(),
    boundary: createBoundary(
      '',
      async () => false,
      () => {},
    ),
    isAborted: () => aborted,
    stderr: () => stderr,
    onEvent: () => {},
  })
}

const SUCCESS = { type: 'result', subtype: 'success', is_error: false, result: 'Fine.', total_cost_usd: 0 }
const FAILED = { ...SUCCESS, is_error: true, result: 'API Error: 529 overloaded' }

describe('how a query ends', () => {
  it('done', async () => {
    expect(await endOf({ messages: [SUCCESS] })).toEqual({ kind: 'done' })
  })

  it.each([
    [
      'an error in the result',
      { messages: [{ ...FAILED, api_error_status: 529 }], thrown: new Error('also') },
      'transient',
    ],
    [
      'its status before its words',
      { messages: [{ ...FAILED, api_error_status: 403, result: 'overloaded' }] },
      'fatal',
    ],
    ['turns used up', { messages: [{ ...SUCCESS, subtype: 'error_max_turns', is_error: true, errors: [] }] }, 'fatal'],
    ['a prompt too long', { messages: [{ ...FAILED, result: 'x', terminal_reason: 'prompt_too_long' }] }, 'overflow'],
    [
      'a broken connection',
      { messages: [], thrown: Object.assign(new Error('x'), { code: 'ECONNRESET' }) },
      'transient',
    ],
    ['a process that died', { messages: [], thrown: new Error('process terminated by signal SIGKILL') }, 'unknown'],
    ['no result at all', { messages: [] }, 'unknown'],
    [
      'a binary that is not there',
      { messages: [], thrown: new Error('Native CLI binary for linux-x64 not found.') },
      'fatal',
    ],
  ] as const)('failed: %s', async (_, played, kind) => {
    expect(await endOf(played)).toMatchObject({ kind: 'failed', error: { class: kind } })
  })

  it('takes the kind of the error from the harness where it names one', async () => {
    const content = [{ type: 'text', text: 'Please try again' }]
    const message = { id: 'e', model: '<synthetic>', content, usage: {} }
    const assistant = { type: 'assistant', error: 'authentication_failed', parent_tool_use_id: null, message }
    const ending = await endOf({ messages: [assistant, FAILED] })
    expect(ending).toMatchObject({ error: { class: 'fatal', text: 'Please try again' } })
  })

  it('quotes what the binary said last when it died', async () => {
    const ending = await endOf({ messages: [], thrown: new Error('exited with code 1'), stderr: 'unknown option' })
    expect(ending).toMatchObject({ error: { text: 'exited with code 1: unknown option' } })
  })

  it('aborted, whatever else happened', async () => {
    expect(await endOf({ messages: [FAILED], aborted: true })).toEqual({ kind: 'aborted' })
  })
})
