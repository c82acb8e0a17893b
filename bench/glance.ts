import { forEachChild, parse, type SyntaxNode } from 'unbash'
import { classify } from '../src/shell/index.ts'
import { GLANCES, NO_GLANCES, sharedCases } from '../test/support/glance-cases.ts'

/** Rounds over the commands before the clock starts, so that both sides run compiled code. */
const WARM_ROUNDS = 200
const ROUNDS = 400
/** Lengths of hostile input, in characters; the last is the 1 MB. */
const LENGTHS = [1_000, 2_000, 4_000, 8_000, 64_000, 1_000_000]
/** The best of some tries, so that other processes on the machine do not count. */
const TRIES = 8

/** Commands a second of `look`, by processor time, so that other processes on the machine count less. */
function rate(commands: readonly string[], look: (command: string) => unknown): number {
  let kept = 0
  const round = (): void => {
    for (const command of commands) if (look(command) !== undefined) kept++
  }
  for (let at = 0; at < WARM_ROUNDS; at++) round()
  const before = process.cpuUsage()
  for (let at = 0; at < ROUNDS; at++) round()
  const { user, system } = process.cpuUsage(before)
  if (kept === 0) throw new Error('nothing was looked at')
  return (ROUNDS * commands.length) / ((user + system) / 1e6)
}

/** unbash reads the parts of a word (quotes, expansions) when they are asked for; this asks for all of them. */
function parseWhole(command: string): number {
  let nodes = 0
  const visit = (node: SyntaxNode): void => {
    nodes++
    forEachChild(node, visit)
  }
  visit(parse(command))
  return nodes
}

/** Speed of `classify` beside the bare parser on the same commands, and time on hostile input by length. */
export async function benchGlance(): Promise<void> {
  const shared = sharedCases('real').map(({ cmd }) => cmd)
  const commands = shared.length > 0 ? shared : [...GLANCES, ...NO_GLANCES]
  const print = (text: string): void => void process.stdout.write(`${text}\n`)
  print(`${commands.length} commands${shared.length > 0 ? ' (../shared/cases/glance/real.jsonl)' : ' (our own cases)'}`)

  const outline = rate(commands, parse)
  const whole = rate(commands, parseWhole)
  const classified = rate(commands, classify)
  const row = (name: string, value: number): void => {
    const share = (classified / value).toFixed(2)
    print(`${name.padEnd(44)} ${Math.round(value).toString().padStart(8)} commands/s; classify is ${share} of it`)
  }
  row('bare parser, words unread', outline)
  row('bare parser, whole tree', whole)
  row('classify', classified)

  print('\nhostile input, refused')
  for (const [name, unit] of [
    ['`$(` nested', '$('],
    ['quotes open', '"$x'],
    ['words', 'a '],
    ['braces', '{a,'],
    ['commands', 'ls;'],
  ] as const) {
    const times = LENGTHS.map((length) => {
      const text = unit.repeat(length / unit.length)
      let best = Number.POSITIVE_INFINITY
      for (let at = 0; at < TRIES; at++) {
        const before = process.cpuUsage()
        if (classify(text).parts.every((part) => part.allow)) throw new Error(`${name}, ${length} characters: allowed`)
        const { user, system } = process.cpuUsage(before)
        best = Math.min(best, (user + system) / 1000)
      }
      return `${length}: ${best.toFixed(2)} ms`
    })
    print(`${name.padEnd(12)} ${times.join(', ')}`)
  }
}
