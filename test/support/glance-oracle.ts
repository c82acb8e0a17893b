import { classify } from '../../src/shell/index.ts'
import { chooser, GlanceGrammar } from './glance-grammar.ts'
import { GlanceSandbox, type Violation } from './glance-sandbox.ts'

/** The seed of the generated commands: the same in every run, so that a finding can be repeated. */
export const ORACLE_SEED = 20_261_130
/** Commands run side by side. */
const SIDE_BY_SIDE = 2

export interface Finding {
  readonly command: string
  readonly violations: readonly Violation[]
}

/** Different generated commands that `classify` allows, and how many had to be written for them. */
export function allowedCommands(
  count: number,
  seed = ORACLE_SEED,
): { readonly commands: readonly string[]; readonly written: number } {
  const grammar = new GlanceGrammar(chooser(seed))
  const commands = new Set<string>()
  let written = 0
  while (commands.size < count) {
    const command = grammar.command()
    written++
    if (classify(command).allow) commands.add(command)
  }
  return { commands: [...commands], written }
}

/** Runs each command in the sandbox; what comes back are those that did more than look. */
export async function runOracle(
  commands: readonly string[],
  progress?: (done: number) => void,
): Promise<readonly Finding[]> {
  const findings: Finding[] = []
  let next = 0
  const work = async (): Promise<void> => {
    const sandbox = new GlanceSandbox()
    try {
      while (next < commands.length) {
        const command = commands[next++] ?? ''
        const violations = await sandbox.violations(command)
        if (violations.length > 0) findings.push({ command, violations })
        if (next % 500 === 0) progress?.(next)
      }
    } finally {
      sandbox.remove()
    }
  }
  await Promise.all(Array.from({ length: SIDE_BY_SIDE }, work))
  return findings
}
