/**
 * Denials that no recording can bring about: the automatic mode needs a service, `cancelled` a second person at the
 * screen. Made by hand after the recorded entries in examples/damaged.jsonl; the kinds are those of the binary's own
 * list. Each case is the part of the result's entry that tells who refused.
 */
import type { Denial } from '../../src/core/transcript.ts'

export interface DenialCase {
  readonly name: string
  /** What the entry holds beside what every result's entry holds. */
  readonly fields: Readonly<Record<string, unknown>>
  readonly content: string
  readonly isError: boolean
  readonly denied: Denial | undefined
}

const REJECTED =
  "The user doesn't want to proceed with this tool use. The tool use was rejected (eg. if it was a file edit, the " +
  'new_string was NOT written to the file). STOP what you are doing and wait for the user to tell you how to proceed.'

export const HAND_MADE_DENIALS: readonly DenialCase[] = [
  {
    name: 'the automatic mode blocked the call',
    fields: { toolDenialKind: 'automode-blocked', toolDenialBeforeRun: true },
    content: 'Permission for this action has been denied. Reason: it would delete files outside the project.',
    isError: true,
    denied: 'machine',
  },
  {
    name: 'the automatic mode could not be asked',
    fields: { toolDenialKind: 'automode-unavailable', toolDenialBeforeRun: true },
    content: 'The permission classifier is unavailable; the call was not run.',
    isError: true,
    denied: 'machine',
  },
  {
    name: 'the automatic mode gave no readable answer',
    fields: { toolDenialKind: 'automode-parsing-error', toolDenialBeforeRun: true },
    content: 'The permission classifier gave an answer that cannot be read; the call was not run.',
    isError: true,
    denied: 'machine',
  },
  {
    name: 'the call was cancelled with its siblings',
    fields: { toolDenialKind: 'cancelled' },
    content: 'The call was cancelled because another call of the same answer failed.',
    isError: true,
    denied: 'stopped',
  },
  {
    name: 'the call was interrupted after it had put something out',
    fields: { toolDenialKind: 'interrupted', toolDenialAfterRun: true },
    content: 'day 1 closed\nday 2 closed\n[Request interrupted by user for tool use]',
    isError: true,
    denied: 'stopped',
  },
  {
    name: 'a person refused, in an entry without any further flag',
    fields: { toolDenialKind: 'user-rejected' },
    content: REJECTED,
    isError: true,
    denied: 'person',
  },
  {
    name: 'an older recording without a kind',
    fields: {},
    content: REJECTED,
    isError: true,
    denied: undefined,
  },
  {
    name: 'a result that only speaks of a denial',
    fields: {},
    content: 'Permission to use Bash has been denied.',
    isError: false,
    denied: undefined,
  },
]

/** A whole small session around one case: a question, a call, its refused result, an answer. */
export function denialSession({ fields, content, isError }: DenialCase): string {
  const common = {
    isSidechain: false,
    userType: 'external',
    cwd: '/home/dev/project',
    sessionId: SESSION,
    version: '2.1.332',
  }
  const result = { type: 'tool_result', content, is_error: isError, tool_use_id: 'toolu_denied' }
  const call = { type: 'tool_use', id: 'toolu_denied', name: 'Bash', input: { command: 'rm -r src/vessels' } }
  const speaks = (id: string, blocks: unknown[]) => ({
    type: 'message',
    role: 'assistant',
    id,
    model: 'claude-opus-5-5',
    content: blocks,
    usage: { input_tokens: 10, cache_creation_input_tokens: 0, cache_read_input_tokens: 0, output_tokens: 5 },
  })
  const entries = [
    { ...link(0), type: 'user', message: { role: 'user', content: 'Clean up.' } },
    { ...link(1), type: 'assistant', message: speaks('msg_1', [call]) },
    { ...link(2), type: 'user', message: { role: 'user', content: [result] }, toolUseResult: content, ...fields },
    { ...link(3), type: 'assistant', message: speaks('msg_2', [{ type: 'text', text: 'I leave it alone.' }]) },
  ]
  return entries.map((entry) => `${JSON.stringify({ ...entry, ...common })}\n`).join('')
}

const SESSION = '5f1e77a0-0000-4000-8000-000000000003'

function link(place: number): { uuid: string; parentUuid: string | null; timestamp: string } {
  const uuid = (number: number) => `5f1e77a0-0000-4000-8000-00000000010${number}`
  return {
    uuid: uuid(place),
    parentUuid: place === 0 ? null : uuid(place - 1),
    timestamp: `2026-11-30T09:00:0${place}.000Z`,
  }
}
