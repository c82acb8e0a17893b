/** What of a rollout would be sent now: compactions replace what stands before them, rollbacks take turns back. */
import type { Block, Message, MessageKind } from '../../core/transcript.ts'
import { answersOf, type PlacedItem } from '../responses/answers.ts'

/** What one request recorded about itself. */
export type RequestFacts = Pick<Message, 'model' | 'usage' | 'time'>

export interface ItemStep extends PlacedItem {
  readonly step: 'item'
  readonly kind?: MessageKind
  facts: RequestFacts
}

export type Step =
  | ItemStep
  | {
      readonly step: 'compaction'
      readonly entry: number
      readonly blocks: readonly Block[]
      readonly replacesAll: boolean
    }
  | { readonly step: 'rollback'; readonly turns: number }

/** The messages of the view, or of the whole history with the summaries left out. */
export function messagesOf(steps: readonly Step[], reading: 'view' | 'history'): Message[] {
  let window: ItemStep[] = []
  for (const step of steps) {
    if (step.step === 'item') window.push(step)
    else if (step.step === 'rollback') window = rolledBack(window, step.turns)
    else if (reading === 'view') window = compacted(window, step)
  }
  const byEntry = new Map(window.map((step) => [step.entry, step]))
  return answersOf(window).map((message) => withFacts(message, byEntry))
}

function compacted(window: readonly ItemStep[], step: Step & { step: 'compaction' }): ItemStep[] {
  const { entry, blocks, replacesAll } = step
  const summary: ItemStep = {
    step: 'item',
    entry,
    role: 'user',
    blocks,
    isReasoning: false,
    kind: 'compaction-summary',
    facts: {},
  }
  // Without a recorded replacement Codex keeps what the user said and puts the summary behind it.
  return [...(replacesAll ? [] : window.filter(isSaid)), summary]
}

/** A person's own words. */
function isSaid({ role, kind, blocks }: ItemStep): boolean {
  return role === 'user' && kind === undefined && blocks.every((block) => block.type !== 'result')
}

/** Without the newest turns of the user. */
function rolledBack(window: readonly ItemStep[], turns: number): ItemStep[] {
  let left = turns
  let end = window.length
  for (let index = window.length - 1; index >= 0 && left > 0; index--) {
    const step = window[index]
    if (!step || !isSaid(step)) continue
    end = index
    left--
  }
  return window.slice(0, end)
}

function withFacts(message: Message, byEntry: ReadonlyMap<number, ItemStep>): Message {
  const steps = message.entries.flatMap((entry) => byEntry.get(entry) ?? [])
  const kind = steps[0]?.kind
  const { time } = steps[0]?.facts ?? {}
  const model = steps.find(({ facts }) => facts.model !== undefined)?.facts.model
  const usage = steps.find(({ facts }) => facts.usage !== undefined)?.facts.usage
  return {
    ...message,
    ...(kind === undefined ? {} : { kind }),
    ...(time === undefined ? {} : { time }),
    ...(message.role === 'assistant' && model !== undefined ? { model } : {}),
    ...(usage === undefined ? {} : { usage }),
  }
}
