/** Calls and their results: A09-A13, A15, A16. Judged once for all of them, on turns. */
import { idText, type Placed } from '../places.ts'
import type { Found, RequestRule } from '../rule.ts'
import { type MessagesReading, type Turn, unanswered } from './reading.ts'

type PairingRule = 'A09' | 'A10' | 'A11' | 'A12' | 'A13' | 'A15' | 'A16'
type Faults = Readonly<Record<PairingRule, Found[]>>

/** The rules share one walk; a reading is judged once, however many of them ask. */
const judged = new WeakMap<MessagesReading, Faults>()

function faultsOf(reading: MessagesReading): Faults {
  const known = judged.get(reading)
  if (known) return known
  const faults = judge(reading.turns)
  judged.set(reading, faults)
  return faults
}

function judge(turns: readonly Turn[]): Faults {
  const faults: Faults = { A09: [], A10: [], A11: [], A12: [], A13: [], A15: [], A16: [] }
  const known = new Set<unknown>()
  turns.forEach((turn, index) => {
    if (turn.role === 'user') judgeResults(turn, turns[index - 1], faults)
    else {
      judgeIds(turn, known, faults)
      judgeAnswers(turn, turns[index + 1], faults)
    }
  })
  return faults
}

function callsOf(turn: Turn | undefined): string[] {
  return (turn?.blocks ?? []).filter(({ type }) => type === 'tool_use').map(({ fields }) => idText(fields.id))
}

function judgeIds(turn: Turn, known: Set<unknown>, faults: Faults): void {
  for (const { type, fields, at } of turn.blocks) {
    if (type !== 'tool_use') continue
    const id = idText(fields.id)
    if (known.has(id)) faults.A13.push({ at, id, message: `${at}: \`tool_use\` ids must be unique` })
    known.add(id)
  }
}

/** Only results that stand before anything else of the next turn are answers in the right place. */
function judgeAnswers(turn: Turn, next: Turn | undefined, faults: Faults): void {
  const ids = [...new Set(callsOf(turn))]
  if (ids.length === 0) return
  const early = new Set<string>()
  const inside = new Set<string>()
  const behind = new Set<string>()
  let others = false
  for (const message of next?.messages ?? []) {
    const parted = others
    for (const { type, fields } of message.blocks) {
      if (type !== 'tool_result') others = true
      else (parted ? behind : others ? inside : early).add(idText(fields.tool_use_id))
    }
  }
  const missing = ids.filter((id) => !early.has(id) && !inside.has(id) && !behind.has(id))
  const late = (set: Set<string>): string[] => ids.filter((id) => set.has(id) && !early.has(id))
  const report = (rule: PairingRule, about: string[]): void => {
    if (about.length > 0) faults[rule].push({ ...unanswered(turn, about), id: about[0] ?? '' })
  }
  report(missing.length < ids.length ? 'A10' : 'A09', missing)
  report('A15', late(inside))
  report('A16', next?.afterSystem === true ? ids.filter((id) => !missing.includes(id)) : late(behind))
}

function judgeResults(turn: Turn, previous: Turn | undefined, faults: Faults): void {
  const open = new Set(callsOf(previous))
  const seen = new Set<string>()
  for (const { type, fields, at } of turn.blocks) {
    if (type !== 'tool_result') continue
    const id = idText(fields.tool_use_id)
    if (!open.has(id)) faults.A11.push({ at, id, message: orphan({ type, fields, at }, id) })
    else if (seen.has(id)) {
      const message = `${at}: each tool_use must have a single result. Found multiple \`tool_result\` blocks with id: ${id}`
      faults.A12.push({ at, id, message })
    }
    seen.add(id)
  }
}

function orphan({ at }: Placed, id: string): string {
  return `${at}: unexpected \`tool_use_id\` found in \`tool_result\` blocks: ${id}. Each \`tool_result\` block must have a corresponding \`tool_use\` block in the previous message.`
}

const pairingRule = (
  id: PairingRule,
  evidence: RequestRule<MessagesReading>['evidence'],
  statement: string,
): RequestRule<MessagesReading> => ({
  id,
  severity: 'reject',
  evidence,
  statement,
  check: (reading) => faultsOf(reading)[id],
})

export const PAIRING_RULES: readonly RequestRule<MessagesReading>[] = [
  pairingRule('A09', 'issue', 'A call is answered in the user turn right after it, also the last one.'),
  pairingRule('A10', 'issue', 'Parallel calls of one turn are all answered in the same next turn.'),
  pairingRule('A11', 'issue', 'A result answers a call of the assistant turn right before it.'),
  pairingRule('A12', 'code', 'One result for each call.'),
  pairingRule('A13', 'issue', 'Call ids are unique in the whole request.'),
  pairingRule('A15', 'code', 'In the answering turn the results come before everything else.'),
  pairingRule('A16', 'doc', 'No message stands between calls and their results, a system message neither.'),
]
