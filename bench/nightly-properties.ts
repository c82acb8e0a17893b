/** The properties over many more generated sessions, requests and epochs than every change can afford. */
import { spawnSync } from 'node:child_process'

/** Of each property; all of them together are more than 100,000 sequences of edits. */
const RUNS = 7000
const FILES = ['invariants', 'legality-properties', 'array-formats', 'thinking-epochs', 'store-properties'].map(
  (name) => `test/${name}.test.ts`,
)

export async function nightlyProperties(): Promise<void> {
  const { status } = spawnSync('npx', ['vitest', 'run', '--project', 'integration', ...FILES], {
    stdio: 'inherit',
    env: { ...process.env, SPILLWAY_SEED: 'random', SPILLWAY_PROPERTY_RUNS: String(RUNS) },
  })
  if (status !== 0) process.exitCode = 1
}
