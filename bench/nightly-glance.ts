import { classify } from '../src/shell/index.ts'
import { GLANCES, sharedCases } from '../test/support/glance-cases.ts'
import { allowedCommands, ORACLE_SEED, runOracle } from '../test/support/glance-oracle.ts'
import { hasSandbox } from '../test/support/glance-sandbox.ts'

/** Generated commands that a nightly runs; at about 75 ms each on two cores, a quarter of an hour. */
const GENERATED = 10_000

/**
 * Runs every labelled glance and 10,000 generated commands that `classify` allows in the sandbox, and prints what any
 * of them did beyond looking. Fails (exit code 1) when one did, or when there is no sandbox here.
 */
export async function nightlyGlance(): Promise<void> {
  const print = (text: string): void => void process.stdout.write(`${text}\n`)
  if (!hasSandbox()) {
    print('glance: no sandbox here; install bubblewrap and strace')
    process.exitCode = 1
    return
  }
  const shared = [...sharedCases('real'), ...sharedCases('adversarial')].filter(({ glance }) => glance)
  const labelled = [...GLANCES, ...shared.map(({ cmd }) => cmd)].filter((command) => classify(command).allow)
  const { commands, written } = allowedCommands(GENERATED)
  print(
    `glance: ${labelled.length} labelled glances, ${commands.length} allowed of ${written} generated (seed ${ORACLE_SEED})`,
  )
  const start = performance.now()
  const all = [...labelled, ...commands]
  const findings = await runOracle(all, (done) => print(`glance: ${done} of ${all.length}`))
  for (const { command, violations } of findings) {
    for (const { kind, detail } of violations) print(`glance: ${JSON.stringify(command)}: ${kind}: ${detail}`)
  }
  const seconds = (performance.now() - start) / 1000
  print(
    `glance: ${findings.length} of ${all.length} did more than look; ${seconds.toFixed(0)} s, ${((seconds * 1000) / all.length).toFixed(0)} ms each`,
  )
  if (findings.length > 0) process.exitCode = 1
}
