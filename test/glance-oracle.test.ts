import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { GLANCES, sharedCases } from './support/glance-cases.ts'
import { allowedCommands, runOracle } from './support/glance-oracle.ts'
import { GlanceSandbox, hasSandbox } from './support/glance-sandbox.ts'
import { noticeMissing } from './support/shared.ts'

/** Generated commands that are run here; at about 75 ms each on two cores. `npm run nightly` runs 10,000. */
const GENERATED = Number(process.env.GLANCE_ORACLE_COMMANDS ?? 2000)
const MINUTES = 60_000
const sandboxed = hasSandbox()
if (!sandboxed) noticeMissing('the sandbox (bubblewrap, strace)')

const LABELLED = [...sharedCases('real'), ...sharedCases('adversarial')]
  .filter(({ glance }) => glance)
  .map(({ cmd }) => cmd)

describe.skipIf(!sandboxed)('the sandbox', () => {
  let sandbox: GlanceSandbox
  beforeAll(() => {
    sandbox = new GlanceSandbox()
  })
  afterAll(() => sandbox.remove())

  it.each([
    ['touch PWNED', 'changed files'],
    ['echo x >> f', 'changed files'],
    ['rm f', 'changed files'],
    ['git branch new', 'changed files'],
    ['sh script.sh', 'unexpected program'],
    ['python3 -c 1', 'unexpected program'],
    ['find . -name f -exec chmod +x {} +', 'unexpected program'],
    ['exec 3<>/dev/tcp/192.0.2.1/80', 'connection'],
    ['sleep 60', 'hang'],
  ])('sees what %s does', async (command, kind) => {
    const kinds = (await sandbox.violations(command)).map((violation) => violation.kind)
    expect(kinds).toContain(kind)
  })

  it('sees nothing when a command only looks', async () => {
    expect(await sandbox.violations('git status; cat f | wc -l')).toEqual([])
  })
})

describe.skipIf(!sandboxed)('run in the sandbox', () => {
  it('every labelled glance only looks', { timeout: 10 * MINUTES }, async () => {
    expect(await runOracle([...GLANCES, ...LABELLED])).toEqual([])
  })

  it(`${GENERATED} generated commands that are allowed only look`, { timeout: 20 * MINUTES }, async () => {
    expect(await runOracle(allowedCommands(GENERATED).commands)).toEqual([])
  })
})
