/**
 * The damaged session: everything that goes wrong between a model, a person and a machine, one kind a stage. The
 * kinds are those of reference/claude-agent-sdk.md section 7 that the real binary can be brought to record.
 */
import type { HookCallback, SDKMessage } from '@anthropic-ai/claude-agent-sdk'
import { call, overloaded } from '../../src/testing/index.ts'
import type { RunControl } from '../../test/support/claude-code.ts'
import { type Stage, toolsIn, turn } from './story.ts'

/** Everything but the shell is allowed by itself, so that each Bash call is a question. */
const ASK_FOR_BASH = ['Read', 'Edit', 'Write', 'Grep', 'Glob', 'Agent']
/** How long a command runs, or a stream stands still, before it is stopped. */
const STOP_AFTER_MS = 900

const denyByHook: HookCallback = async () => ({
  hookSpecificOutput: {
    hookEventName: 'PreToolUse',
    permissionDecision: 'deny',
    permissionDecisionReason: 'The office publishes on Mondays only.',
  },
})

export function damagedStory(project: string): Stage[] {
  const { read, grep, bash } = toolsIn(project)
  const publish = bash('touch published.txt && node tools/settle.mjs 20 > published.txt', 'Publish the statement')
  const remove = bash('rm -r src/vessels', 'Remove the vessels area')
  const slow = bash('for day in 1 2 3; do echo "day $day closed"; done; sleep 20', 'Close the days one by one')
  return [
    {
      prompt: 'Publish the statement of the sample day.',
      options: { hooks: { PreToolUse: [{ matcher: 'Bash', hooks: [denyByHook] }] } },
      replies: [
        turn({ think: 'Look before publishing.', say: 'First the rules.' }, read('src/settlement/rules.ts')),
        turn({ say: 'Publishing.' }, publish),
        turn({ think: 'Denied. Perhaps only that way of writing it.' }, bash('touch published.txt', 'Publish, simply')),
        turn({ say: 'A hook stops me twice: the office publishes on Mondays only.' }),
      ],
    },
    {
      prompt: 'Then clean up: is the vessels area still used?',
      options: {
        allowedTools: ASK_FOR_BASH,
        canUseTool: async () => ({
          behavior: 'deny',
          message: 'No, the ferries still sail. Ask the harbour office first.',
        }),
      },
      replies: [
        turn({}, grep('vessel')),
        turn({ think: 'Only its own files mention it.', say: 'Nobody imports it; removing it.' }, remove),
        turn({ say: 'You want the harbour office asked first. I leave it alone.' }),
      ],
    },
    {
      prompt: 'They say it may go, but wait for me before you touch anything.',
      options: {
        allowedTools: ASK_FOR_BASH,
        canUseTool: async () => ({ behavior: 'deny', message: 'Stop.', interrupt: true }),
      },
      replies: [turn({ think: 'It may go.' }, remove)],
    },
    {
      prompt: 'I said wait. Read the store of the vessels first, and tell me what would be lost.',
      options: { settings: { permissions: { deny: ['Bash(rm:*)'] } } },
      replies: [
        turn({}, read('src/vessels/store.ts'), read('src/vessels/rules.ts')),
        turn(
          { say: 'Its list of dockings. Trying to remove the tests alone.' },
          bash('rm src/vessels/rules.test.ts', 'Remove'),
        ),
        turn({ say: 'The settings deny rm altogether.' }),
      ],
    },
    {
      prompt: 'Make a note of that.',
      options: { allowedTools: ASK_FOR_BASH },
      replies: [
        turn({}, bash('touch note.txt', 'Make the note')),
        turn({ say: 'There is nobody here to approve that.' }),
      ],
    },
    {
      prompt: 'Try again, without asking.',
      options: { allowedTools: ASK_FOR_BASH, permissionMode: 'dontAsk' },
      replies: [turn({}, bash('touch note.txt', 'Make the note')), turn({ say: 'Refused without a question.' })],
    },
    {
      prompt: 'Ask for the weather at the harbour.',
      replies: [
        turn({ say: 'Asking.' }, call('Weather', { harbour: 'Corran' })),
        turn({ say: 'There is no such tool.' }, call('Read', { path: 'README.md' })),
        turn({ say: 'And I mistook the arguments of Read. I have no way to ask for the weather.' }),
      ],
    },
    {
      prompt: 'Close the open days.',
      options: { onMessage: stopping('Bash', (control) => control.interrupt()) },
      replies: [turn({ think: 'One by one.', say: 'Closing.' }, slow)],
    },
    {
      prompt: 'That took too long. Tell me instead how the days are closed.',
      options: { onMessage: stoppingStream((control) => control.interrupt()) },
      replies: [{ stall: true, content: [{ type: 'text', text: 'Every night at three the office' }] }],
    },
    {
      prompt: 'Shorter, please.',
      replies: [overloaded(), overloaded()],
    },
    {
      prompt: 'Once more.',
      replies: [
        turn({
          think: 'In one sentence.',
          say: 'At three in the morning every paid booking is shared out among the harbours.',
        }),
      ],
    },
    {
      prompt: 'Good. Run the slow check of the ledger, but give it a second only.',
      replies: [
        turn(
          {},
          call('Bash', { command: 'node tools/settle.mjs 40; sleep 4', description: 'Slow check', timeout: 1000 }),
        ),
        turn({ say: 'It did not finish within a second and goes on in the background.' }),
        turn({ say: 'The slow check has finished meanwhile: 40 lines, nothing unexpected.' }),
      ],
    },
    {
      prompt: 'Is the ledger of the sample day still whole?',
      options: { onMessage: stopping('Bash', (control) => control.abort()) },
      replies: [
        turn({ think: 'Count its lines.' }, bash('node tools/settle.mjs 60; sleep 20', 'Print the ledger and wait')),
      ],
    },
    {
      prompt: 'The window was closed by mistake. Look again, without waiting.',
      replies: [
        turn({ say: 'Looking again.' }, bash('node tools/settle.mjs 60', 'Print the ledger')),
        turn({ say: 'It is whole: 60 lines. The cents still go missing.' }),
      ],
    },
    {
      prompt: 'Then close the days now.',
      options: { onMessage: stopping('Bash', (control) => control.abort()) },
      replies: [turn({ think: 'Again, one by one.', say: 'Closing them again.' }, slow)],
    },
  ]
}

/** Stops the run some time after the model has called this tool. */
function stopping(tool: string, stop: (control: RunControl) => unknown) {
  return (message: SDKMessage, control: RunControl): void => {
    if (message.type !== 'assistant') return
    const called = message.message.content.some((block) => block.type === 'tool_use' && block.name === tool)
    if (called) setTimeout(() => stop(control), STOP_AFTER_MS)
  }
}

/** Stops the run some time after it began; the answer is being streamed by then. */
function stoppingStream(stop: (control: RunControl) => unknown) {
  return (message: SDKMessage, control: RunControl): void => {
    if (message.type === 'system' && message.subtype === 'init') setTimeout(() => stop(control), STOP_AFTER_MS)
  }
}
