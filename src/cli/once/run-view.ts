/**
 * What a person sees of a run, as plain lines: what is said once, and what is shown while it goes on (a line for each
 * worker, and one for the whole). Pure: it takes events and gives texts, the terminal is somebody else's.
 */
import type { EventBody, RunEvent } from '../../agent/index.ts'
import { windowOf } from '../../core/models.ts'
import { elide } from '../../core/pointer.ts'
import { printableLine, printableText } from '../printable.ts'
import { count, counted, paint, percent } from '../terminal.ts'

/** Said once, in order. `answer` is the agent's own prose, everything else is about it. */
export interface Said {
  readonly kind: 'answer' | 'note'
  readonly text: string
}

export interface RunView {
  take(event: RunEvent): Said[]
  /** The lines that change while the run goes on, none wider than this. */
  live(columns: number): string[]
  /** One line at the end. */
  summary(): string
}

interface Work {
  readonly role: string
  readonly description: string
  calls: number
  tokens: number
  doing: string
}

const GAUGE_CELLS = 20
const MOST_CALL_CHARS = 90
const MOST_REASON_CHARS = 200

export function createRunView(): RunView {
  const workers = new Map<string, Work>()
  let model: string | undefined
  let context = 0
  let cost = 0
  let turns = 0
  let epochs = 0
  let freed = 0
  let spills = 0
  let spilled = 0

  function take(event: RunEvent): Said[] {
    if (event.context !== undefined && event.context > 0) context = event.context
    if (event.type === 'spill') {
      spills++
      if (event.unit === 'characters') spilled += event.size
      return []
    }
    if (event.type === 'task') return task(event)
    return event.worker ? [] : mainThread(event)
  }

  function task(event: Extract<EventBody, { type: 'task' }>): Said[] {
    const { taskId, state, role = 'worker', description = '', lastTool = '' } = event
    const known = workers.get(taskId)
    if (state === 'started') {
      workers.set(taskId, { role, description, calls: 0, tokens: 0, doing: '' })
      return [note(`${paint.cyan('→')} ${role}: ${description}`)]
    }
    const work = known ?? { role, description, calls: 0, tokens: 0, doing: '' }
    work.calls = event.calls ?? work.calls
    work.tokens = event.tokens ?? work.tokens
    work.doing = lastTool === '' ? work.doing : `${lastTool}${description === '' ? '' : `: ${description}`}`
    if (state === 'progress') return []
    workers.delete(taskId)
    const seconds = event.milliseconds === undefined ? '' : `, ${Math.round(event.milliseconds / 1000)} s`
    const sums = `${count(work.calls)} calls, ${count(work.tokens)} tokens${seconds}`
    const mark = state === 'completed' ? paint.green('✓') : paint.red('✗')
    return [
      note(
        `${mark} ${work.role}: ${work.description} ${paint.dim(`(${state === 'completed' ? '' : `${state}, `}${sums})`)}`,
      ),
    ]
  }

  function mainThread(event: RunEvent): Said[] {
    switch (event.type) {
      case 'text':
        return [{ kind: 'answer', text: printableText(event.text) }]
      case 'tool_call':
        return event.tool === 'Agent'
          ? []
          : [note(paint.dim(`· ${event.tool} ${elide(inputOf(event.input), MOST_CALL_CHARS)}`))]
      case 'denial':
        return [note(paint.yellow(`✗ ${event.tool} refused: ${elide(event.reason, MOST_REASON_CHARS)}`))]
      case 'epoch':
        epochs++
        freed += Math.max(0, event.tokensBefore - event.tokensAfter)
        return [note(paint.magenta(`∗ history: ${count(event.tokensBefore)} to ${count(event.tokensAfter)} tokens`))]
      case 'error':
        return [note(paint.red(`✗ ${event.class}: ${elide(event.text, MOST_REASON_CHARS)}`))]
      case 'retry':
        return [note(paint.yellow(`… ${waiting(event)}`))]
      case 'alarm':
        return [note(paint.red(`! ${event.what}: ${elide(event.reason, MOST_REASON_CHARS)}`))]
      case 'ask':
        return [note(paint.bold(`? ${event.question}`))]
      case 'handoff':
        return [note(paint.magenta(`∗ handoff ${event.state}, generation ${event.generation}`))]
      case 'system':
        model = event.model ?? model
        return []
      case 'result':
        cost = event.cost
        turns = event.turns
        return []
      default:
        return []
    }
  }

  /** How full the window is, what it has cost, what the economy did. */
  function gauge(columns: number): string {
    const window = windowOf(model)
    const share = Math.min(1, context / window)
    const cells = Math.round(share * GAUGE_CELLS)
    const paintFull = share > 0.8 ? paint.red : share > 0.5 ? paint.yellow : paint.green
    const bar = `${paintFull('█'.repeat(cells))}${paint.dim('░'.repeat(GAUGE_CELLS - cells))}`
    const text = `${count(context)} of ${count(window)} tokens (${percent(share)})${sums()}`
    return `${bar} ${cut(text, columns - GAUGE_CELLS - 1)}`
  }

  function sums(): string {
    const parts = [
      ...(cost > 0 ? [`$${cost.toFixed(2)}`] : []),
      ...(epochs > 0 ? [`${counted(epochs, 'epoch')}, ${count(freed)} tokens freed`] : []),
      ...(spills > 0 ? [`${count(spills)} spilled, ${count(spilled)} characters`] : []),
    ]
    return parts.map((part) => ` · ${part}`).join('')
  }

  return {
    take,
    live(columns) {
      const lines = [...workers.values()].map(({ role, description, calls, tokens, doing }) => {
        const now = doing === '' ? '' : ` · ${doing}`
        return cut(`  ${role}: ${description} · ${count(calls)} calls, ${count(tokens)} tokens${now}`, columns)
      })
      return [...lines, gauge(columns)]
    },
    summary: () => `${turns} turns, context ${count(context)} tokens${sums()}`,
  }
}

function note(text: string): Said {
  // Escapes of colours are ours; what stands between them is not.
  return { kind: 'note', text: text.split('\u001b').map(printableLine).join('\u001b') }
}

/** Scripts whose characters take two columns of a terminal. */
const WIDE = /[\p{sc=Han}\p{sc=Hangul}\p{sc=Hiragana}\p{sc=Katakana}\u3000-\u303f\uff01-\uff60\p{Emoji_Presentation}]/u

/** A line that wrapped would be counted as one and stay behind. */
function cut(text: string, columns: number): string {
  let width = 0
  let kept = ''
  for (const character of printableLine(text)) {
    width += WIDE.test(character) ? 2 : 1
    if (width > columns - 1) return `${kept}…`
    kept += character
  }
  return kept
}

/** The one argument that says what a call is about. */
function inputOf(input: unknown): string {
  if (typeof input !== 'object' || input === null) return ''
  for (const name of ['command', 'file_path', 'pattern', 'url', 'query', 'subject', 'description']) {
    const value = (input as Record<string, unknown>)[name]
    if (typeof value === 'string') return value
  }
  return ''
}

function waiting({ waitsFor, attempt, delayMs }: Extract<EventBody, { type: 'retry' }>): string {
  if (waitsFor === 'endpoint') return 'waiting until the endpoint answers'
  const who = waitsFor === 'api' ? 'the binary tries again' : `try ${attempt}`
  return `${who} in ${(delayMs / 1000).toFixed(1)} s`
}
