/** The invariants over many more generated sessions than every change can afford. */
import { spawnSync } from 'node:child_process'

const RUNS = 25_000

export async function nightlyProperties(): Promise<void> {
  const { status } = spawnSync('npx', ['vitest', 'run', '--project', 'integration', 'test/invariants.test.ts'], {
    stdio: 'inherit',
    env: { ...process.env, SPILLWAY_PROPERTY_RUNS: String(RUNS) },
  })
  if (status !== 0) process.exitCode = 1
}
