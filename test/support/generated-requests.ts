/** One abstract conversation, written down as each array format would send it, with fields that nobody knows. */
import fc from 'fast-check'
import type { JsonObject, JsonValue } from '../../src/core/transcript.ts'

type Answer = 'short' | 'long' | 'failed' | 'picture' | 'parts' | 'missing'

interface CallStep {
  readonly tool: 'Bash' | 'Read' | 'Write'
  readonly big: boolean
  readonly answer: Answer
}

type Step =
  | { readonly kind: 'user'; readonly text: string; readonly picture: boolean }
  | {
      readonly kind: 'turn'
      readonly thinking: 'none' | 'signed' | 'redacted'
      readonly text: string
      readonly calls: readonly CallStep[]
      readonly server: boolean
    }
  | { readonly kind: 'orphan' | 'blank' | 'empty' | 'late-text' }

export type Conversation = readonly Step[]

export type WrittenAs = (conversation: Conversation) => JsonValue

export const PNG = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='

const words = fc.constantFrom('look', 'go on', 'na\u00efve \u4f60\u597d \ud83d\ude42', 'a "quoted" \\ path/a.ts')
const callStep = fc.record<CallStep>({
  tool: fc.constantFrom('Bash', 'Read', 'Write'),
  big: fc.boolean(),
  answer: fc.constantFrom<Answer>('short', 'long', 'long', 'failed', 'picture', 'parts'),
})
const user = fc.record({ kind: fc.constant('user' as const), text: words, picture: fc.boolean() })
const turn = (call: fc.Arbitrary<CallStep>) =>
  fc.record({
    kind: fc.constant('turn' as const),
    thinking: fc.constantFrom('none' as const, 'signed' as const, 'redacted' as const),
    text: fc.oneof(fc.constant(''), words),
    calls: fc.array(call, { maxLength: 3 }),
    server: fc.boolean(),
  })

/** Legal conversations: they start with a person and every call is answered. */
export const healthy: fc.Arbitrary<Conversation> = fc
  .array(fc.oneof({ weight: 1, arbitrary: user }, { weight: 3, arbitrary: turn(callStep) }), { maxLength: 12 })
  .map((steps): Conversation => [{ kind: 'user', text: 'task', picture: false }, ...steps.filter(isSpoken), ask])

/** With the damage that real histories have. */
export const damaged: fc.Arbitrary<Conversation> = fc
  .array(
    fc.oneof(
      { weight: 2, arbitrary: user },
      {
        weight: 5,
        arbitrary: turn(callStep.chain((call) => fc.constantFrom(call, { ...call, answer: 'missing' as const }))),
      },
      {
        weight: 2,
        arbitrary: fc
          .constantFrom('orphan' as const, 'blank' as const, 'empty' as const, 'late-text' as const)
          .map((kind) => ({ kind })),
      },
    ),
    { maxLength: 10 },
  )
  .map((steps): Conversation => [{ kind: 'user', text: 'task', picture: false }, ...steps, ask])

const ask: Step = { kind: 'user', text: 'and now?', picture: false }

function isSpoken(step: Step): boolean {
  return step.kind !== 'turn' || step.text !== '' || step.calls.length > 0
}

const big = (what: string): string => `${what} ${'long output '.repeat(120)}`
const inputOf = (call: CallStep, id: string): JsonObject => ({
  command: `run ${id}`,
  ...(call.big ? { content: big(id), nested: { list: [big('x'), 1] } } : {}),
})
const textOf = (call: CallStep, id: string): string => (call.answer === 'long' ? big(`out ${id}`) : `out ${id}`)

/** Visits the steps with ids that count up. */
function walk<T>(
  conversation: Conversation,
  each: (step: Step, id: (index: number) => string, at: number) => T[],
): T[] {
  return conversation.flatMap((step, at) => each(step, (index) => `call_${at}_${index}`, at))
}

export function asMessages(conversation: Conversation): JsonValue {
  const image = { type: 'image', source: { type: 'base64', media_type: 'image/png', data: PNG }, odd: 1 }
  const messages = walk(conversation, (step, id, at): JsonValue[] => {
    switch (step.kind) {
      case 'user': {
        const text = { type: 'text', text: step.text, ...(at < 3 ? { cache_control: { type: 'ephemeral' } } : {}) }
        return [{ role: 'user', content: step.picture ? [image, text] : at % 2 ? step.text : [text] }]
      }
      case 'orphan':
        return [{ role: 'user', content: [{ type: 'tool_result', tool_use_id: `lost_${at}`, content: 'lost words' }] }]
      case 'blank':
        return [{ role: 'user', content: [{ type: 'text', text: '\n' }] }]
      case 'empty':
        return [{ role: 'assistant', content: [] }]
      case 'late-text':
        return [
          { role: 'assistant', content: [{ type: 'tool_use', id: id(0), name: 'Bash', input: {} }] },
          {
            role: 'user',
            content: [
              { type: 'text', text: 'wait' },
              { type: 'tool_result', tool_use_id: id(0) },
            ],
          },
        ]
      case 'turn': {
        const blocks: JsonValue[] = []
        if (step.thinking === 'signed') blocks.push({ type: 'thinking', thinking: `hm ${at}`, signature: `SIG${at}` })
        if (step.thinking === 'redacted') blocks.push({ type: 'redacted_thinking', data: `SEALED${at}` })
        if (step.text !== '') blocks.push({ type: 'text', text: step.text, odd: [1.5] })
        if (step.server) {
          blocks.push({ type: 'server_tool_use', id: `srvtoolu_${at}`, name: 'web_search', input: { query: 'x' } })
          blocks.push({ type: 'web_search_tool_result', tool_use_id: `srvtoolu_${at}`, content: [] })
        }
        step.calls.forEach((call, index) => {
          blocks.push({ type: 'tool_use', id: id(index), name: call.tool, input: inputOf(call, id(index)), odd: true })
        })
        const results = step.calls.flatMap((call, index): JsonValue[] => {
          if (call.answer === 'missing') return []
          const text = textOf(call, id(index))
          const parts =
            call.answer === 'picture'
              ? [{ type: 'text', text }, image]
              : call.answer === 'parts'
                ? [
                    { type: 'text', text },
                    { type: 'text', text: big('more') },
                  ]
                : text
          const failed = call.answer === 'failed' ? { is_error: true } : {}
          return [{ type: 'tool_result', tool_use_id: id(index), content: parts, ...failed, odd: {} }]
        })
        return [
          { role: 'assistant', content: blocks },
          ...(results.length > 0 ? [{ role: 'user', content: results }] : []),
        ]
      }
    }
  })
  return { model: 'claude-opus-5-5', system: 'Be brief.', tools: [], messages, unheard: { of: true } }
}

export function asChat(conversation: Conversation): JsonValue {
  const image = { type: 'image_url', image_url: { url: `data:image/png;base64,${PNG}`, detail: 'low' } }
  const messages = walk(conversation, (step, id, at): JsonValue[] => {
    switch (step.kind) {
      case 'user':
        return [
          { role: 'user', content: step.picture ? [{ type: 'text', text: step.text }, image] : step.text, odd: 1 },
        ]
      case 'orphan':
        return [{ role: 'tool', tool_call_id: `lost_${at}`, content: 'lost words' }]
      case 'blank':
        return [{ role: 'user', content: '\n' }]
      case 'empty':
        return [{ role: 'assistant', content: null }]
      case 'late-text':
        return [
          { role: 'assistant', content: null, tool_calls: [chatCall('Bash', id(0), '{}')] },
          { role: 'user', content: 'wait' },
          { role: 'tool', tool_call_id: id(0), content: 'late' },
        ]
      case 'turn': {
        const calls = step.calls.map((call, index) => {
          // Numbers that JSON.parse would change stay as they are written.
          const json = JSON.stringify(inputOf(call, id(index))).replace(/\}$/, ',"big":9007199254740993}')
          return chatCall(call.tool, id(index), call.big ? json : index === 2 ? 'no json' : json)
        })
        return [
          {
            role: 'assistant',
            content: step.text === '' ? null : step.server ? [{ type: 'text', text: step.text, odd: 2 }] : step.text,
            ...(step.thinking === 'none' ? {} : { reasoning_content: `hm ${at}` }),
            ...(calls.length > 0 ? { tool_calls: calls } : {}),
            odd: { x: [1] },
          },
          ...step.calls.flatMap((call, index): JsonValue[] => {
            if (call.answer === 'missing') return []
            const text = textOf(call, id(index))
            const parts = [
              { type: 'text', text },
              { type: 'text', text: big('more') },
            ]
            return [{ role: 'tool', tool_call_id: id(index), content: call.answer === 'parts' ? parts : text }]
          }),
        ]
      }
    }
  })
  return { model: 'gpt-5', messages: [{ role: 'developer', content: 'Be brief.' }, ...messages], n: 1 }
}

function chatCall(name: string, id: string, json: string): JsonObject {
  return { id, type: 'function', function: { name, arguments: json, odd: 1 }, index: 3 }
}

/** `model`: one whose reasoning stays, or an unknown one, whose reasoning leaves behind an edit. */
export function asResponses(conversation: Conversation, model = 'gpt-5'): JsonValue {
  const image = { type: 'input_image', image_url: `data:image/png;base64,${PNG}`, detail: 'low' }
  const input = walk(conversation, (step, id, at): JsonValue[] => {
    const say = (text: string): JsonObject => ({
      type: 'message',
      id: `msg_${at}`,
      role: 'assistant',
      content: [{ type: 'output_text', text, annotations: [] }],
      phase: 'commentary',
    })
    switch (step.kind) {
      case 'user': {
        const text = { type: 'input_text', text: step.text }
        return [{ role: 'user', content: step.picture ? [text, image] : step.text }]
      }
      case 'orphan':
        return [{ type: 'function_call_output', call_id: `lost_${at}`, output: 'lost words' }]
      case 'blank':
        return [{ role: 'user', content: '\n' }]
      case 'empty':
        return [{ type: 'message', role: 'assistant', content: [] }]
      case 'late-text':
        return [
          { type: 'function_call', call_id: id(0), name: 'Bash', arguments: '{}' },
          { role: 'user', content: 'wait' },
          { type: 'function_call_output', call_id: id(0), output: 'late' },
        ]
      case 'turn': {
        const reasoning =
          step.thinking === 'none' || (step.text === '' && step.calls.length === 0)
            ? []
            : [
                {
                  type: 'reasoning',
                  id: `rs_${at}`,
                  summary: step.thinking === 'signed' ? [{ type: 'summary_text', text: `hm ${at}` }] : [],
                  encrypted_content: `SEALED${at}`,
                },
              ]
        const calls = step.calls.map((call, index): JsonObject => {
          const isPatch = call.tool === 'Write'
          const made = isPatch
            ? { type: 'custom_tool_call', input: call.big ? big('patch') : 'patch' }
            : { type: 'function_call', arguments: JSON.stringify(inputOf(call, id(index))) }
          const own = reasoning.length > 0 ? { id: `fc_${at}_${index}` } : {}
          return { ...made, ...own, call_id: id(index), name: call.tool, status: 'completed' }
        })
        const outputs = step.calls.flatMap((call, index): JsonValue[] => {
          if (call.answer === 'missing') return []
          const type = call.tool === 'Write' ? 'custom_tool_call_output' : 'function_call_output'
          const text = textOf(call, id(index))
          const output = call.answer === 'picture' ? [{ type: 'input_text', text }, image] : text
          return [{ type, call_id: id(index), output, odd: 1 }]
        })
        const search = { type: 'web_search_call', id: `ws_${at}`, status: 'completed', action: { type: 'search' } }
        return [
          ...reasoning,
          ...(step.server ? [search] : []),
          ...(step.text === '' ? [] : [say(step.text)]),
          ...calls,
          ...outputs,
        ]
      }
    }
  })
  return { model, instructions: 'Be brief.', input, store: false }
}

export function asModelMessages(conversation: Conversation): JsonValue {
  const messages = walk(conversation, (step, id, at): JsonValue[] => {
    switch (step.kind) {
      case 'user': {
        const text = { type: 'text', text: step.text, providerOptions: { odd: { a: 1 } } }
        const image = { type: 'image', image: PNG, mediaType: 'image/png' }
        return [{ role: 'user', content: step.picture ? [text, { type: 'text', text: '' }, image] : step.text }]
      }
      case 'orphan':
        return [{ role: 'tool', content: [modelResult(`lost_${at}`, 'Bash', { type: 'text', value: 'lost words' })] }]
      case 'blank':
        return [{ role: 'user', content: '\n' }]
      case 'empty':
        return [{ role: 'assistant', content: [] }]
      case 'late-text':
        return [
          { role: 'assistant', content: [{ type: 'tool-call', toolCallId: id(0), toolName: 'Bash', input: {} }] },
          { role: 'user', content: 'wait' },
          { role: 'tool', content: [modelResult(id(0), 'Bash', { type: 'json', value: { late: [1] } })] },
        ]
      case 'turn': {
        const parts: JsonValue[] = []
        const anthropic = step.thinking === 'signed' ? { signature: `SIG${at}` } : { redactedData: `SEALED${at}` }
        if (step.thinking !== 'none') {
          const text = step.thinking === 'signed' ? `hm ${at}` : ''
          parts.push({ type: 'reasoning', text, providerOptions: { anthropic } })
        }
        if (step.text !== '') parts.push({ type: 'text', text: step.text })
        for (const [index, call] of step.calls.entries()) {
          parts.push({ type: 'tool-call', toolCallId: id(index), toolName: call.tool, input: inputOf(call, id(index)) })
          if (step.server)
            parts.push({ type: 'tool-approval-request', approvalId: `ap${id(index)}`, toolCallId: id(index) })
        }
        const answered = step.calls.flatMap((call, index) =>
          call.answer === 'missing' ? [] : [{ call, id: id(index) }],
        )
        const approvals = step.server
          ? answered.map(({ id: of }) => ({ type: 'tool-approval-response', approvalId: `ap${of}`, approved: true }))
          : []
        const results = answered.map(({ call, id: of }) => modelResult(of, call.tool, outputOf(call, of)))
        return [
          { role: 'assistant', content: parts, providerOptions: {} },
          ...(results.length > 0 ? [{ role: 'tool', content: [...approvals, ...results] }] : []),
        ]
      }
    }
  })
  return messages
}

function modelResult(toolCallId: string, toolName: string, output: JsonObject): JsonObject {
  return { type: 'tool-result', toolCallId, toolName, output, providerOptions: { odd: 1 } }
}

function outputOf(call: CallStep, id: string): JsonObject {
  const text = textOf(call, id)
  switch (call.answer) {
    case 'failed':
      return { type: 'error-text', value: text }
    case 'parts':
      return { type: 'json', value: { a: [text] } }
    case 'picture':
      return {
        type: 'content',
        value: [
          { type: 'text', text },
          { type: 'media', data: PNG, mediaType: 'image/png' },
        ],
      }
    default:
      return { type: 'text', value: text }
  }
}

/** Every answer up to the next person is one UIMessage, its turns are steps. */
export function asUiMessages(conversation: Conversation): JsonValue {
  const messages: { id: string; role: string; parts: JsonValue[]; metadata: JsonValue }[] = []
  walk(conversation, (step, id, at): JsonValue[] => {
    const add = (role: string, parts: readonly JsonValue[]): void => {
      const last = messages.at(-1)
      if (role === 'assistant' && last?.role === role) last.parts.push(...parts)
      else messages.push({ id: `m${at}`, role, parts: [...parts], metadata: { odd: at } })
    }
    if (step.kind === 'user') {
      const file = { type: 'file', mediaType: 'image/png', url: `data:image/png;base64,${PNG}` }
      add('user', step.picture ? [{ type: 'text', text: step.text }, file] : [{ type: 'text', text: step.text }])
    } else if (step.kind === 'blank') add('user', [{ type: 'text', text: '\n' }])
    else if (step.kind === 'empty') messages.push({ id: `m${at}`, role: 'assistant', parts: [], metadata: {} })
    else if (step.kind === 'turn') {
      const parts: JsonValue[] = [{ type: 'step-start' }]
      if (step.thinking !== 'none') {
        parts.push({ type: 'reasoning', text: `hm ${at}`, providerMetadata: { anthropic: { signature: `SIG${at}` } } })
      }
      if (step.text !== '') parts.push({ type: 'text', text: step.text, state: 'done' })
      if (step.server)
        parts.push({ type: 'data-note', data: { x: 1 } }, { type: 'source-url', sourceId: 's', url: 'u' })
      step.calls.forEach((call, index) => {
        parts.push(uiCall(call, id(index)))
      })
      add('assistant', parts)
    }
    return []
  })
  return messages
}

function uiCall(call: CallStep, toolCallId: string): JsonObject {
  const part = {
    ...(call.tool === 'Read' ? { type: 'dynamic-tool', toolName: 'Read' } : { type: `tool-${call.tool}` }),
    toolCallId,
    input: inputOf(call, toolCallId),
    odd: 1,
  }
  const text = textOf(call, toolCallId)
  if (call.answer === 'missing') return { ...part, state: 'input-available' }
  if (call.answer === 'failed') return { ...part, state: 'output-error', errorText: text }
  return { ...part, state: 'output-available', output: call.answer === 'parts' ? { a: [text] } : text }
}
