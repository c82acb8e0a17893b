/**
 * The invented code base that the example sessions work on: the booking office of a ferry line, in TypeScript. It is
 * generated from word lists, so the recording script stays small and nobody's code is copied.
 */
import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

interface Area {
  readonly name: string
  readonly thing: string
  readonly fields: readonly string[]
  readonly states: readonly string[]
  readonly limits: readonly [string, number][]
}

const AREAS: readonly Area[] = [
  {
    name: 'bookings',
    thing: 'Booking',
    fields: ['crossing', 'passengers', 'vehicle', 'fareCents', 'contact'],
    states: ['draft', 'held', 'paid', 'boarded', 'cancelled'],
    limits: [
      ['HOLD_MINUTES', 20],
      ['MOST_PASSENGERS', 9],
      ['LATEST_CHANGE_HOURS', 2],
    ],
  },
  {
    name: 'crossings',
    thing: 'Crossing',
    fields: ['vessel', 'harbour', 'departure', 'arrival', 'berth'],
    states: ['planned', 'open', 'boarding', 'sailed', 'dropped'],
    limits: [
      ['GATE_CLOSES_MINUTES', 15],
      ['LEAST_TURNAROUND_MINUTES', 35],
    ],
  },
  {
    name: 'fares',
    thing: 'Fare',
    fields: ['season', 'passengerClass', 'vehicleClass', 'baseCents', 'discountPercent'],
    states: ['proposed', 'published', 'withdrawn'],
    limits: [
      ['MOST_DISCOUNT_PERCENT', 60],
      ['SEASON_LEAD_DAYS', 90],
    ],
  },
  {
    name: 'vessels',
    thing: 'Vessel',
    fields: ['hull', 'laneMetres', 'cabins', 'crewNeeded', 'nextDocking'],
    states: ['inService', 'standby', 'docked'],
    limits: [
      ['MOST_LANE_METRES', 1840],
      ['DOCKING_DAYS', 21],
    ],
  },
  {
    name: 'refunds',
    thing: 'Refund',
    fields: ['booking', 'reason', 'amountCents', 'approvedBy', 'bankRun'],
    states: ['asked', 'approved', 'sent', 'refused'],
    limits: [
      ['FULL_REFUND_HOURS', 48],
      ['HALF_REFUND_HOURS', 12],
    ],
  },
  {
    name: 'settlement',
    thing: 'Statement',
    fields: ['day', 'harbour', 'grossCents', 'taxCents', 'netCents'],
    states: ['open', 'closed', 'posted'],
    limits: [
      ['CLOSE_HOUR', 3],
      ['MOST_LINES', 5000],
    ],
  },
]

/** Writes the whole project; the same files every time. */
export function writeFerryProject(folder: string): void {
  for (const area of AREAS) {
    write(folder, `src/${area.name}/store.ts`, storeSource(area))
    write(folder, `src/${area.name}/rules.ts`, rulesSource(area))
    write(folder, `src/${area.name}/rules.test.ts`, testSource(area))
  }
  write(folder, 'src/settlement/rounding.ts', ROUNDING)
  write(folder, 'tools/run-tests.mjs', TEST_RUNNER)
  write(folder, 'tools/settle.mjs', SETTLE)
  write(folder, 'README.md', README)
}

function write(folder: string, name: string, text: string): void {
  const path = join(folder, name)
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, text)
}

function storeSource({ name, thing, fields, states }: Area): string {
  const typed = fields.map((field) => `  readonly ${field}: ${typeOf(field)}`)
  const finders = fields.map((field) =>
    [
      `  /** Every ${thing.toLowerCase()} whose ${field} is the given one, oldest first. */`,
      `  by${upper(field)}(${field}: ${typeOf(field)}): ${thing}[] {`,
      `    const found = [...this.#kept.values()].filter((item) => item.${field} === ${field})`,
      `    return found.sort((a, b) => a.number - b.number)`,
      '  }',
      '',
    ].join('\n'),
  )
  return `${[
    `export type ${thing}State = ${states.map((state) => `'${state}'`).join(' | ')}`,
    '',
    `export interface ${thing} {`,
    '  readonly number: number',
    ...typed,
    `  readonly state: ${thing}State`,
    '}',
    '',
    `/** Keeps ${name} in memory and writes each change to the journal before it shows. */`,
    `export class ${thing}Store {`,
    `  readonly #kept = new Map<number, ${thing}>()`,
    '  readonly #journal: { append(line: string): void }',
    '  #next = 1',
    '',
    '  constructor(journal: { append(line: string): void }) {',
    '    this.#journal = journal',
    '  }',
    '',
    `  add(details: Omit<${thing}, 'number' | 'state'>): ${thing} {`,
    `    const item: ${thing} = { ...details, number: this.#next++, state: '${states[0]}' }`,
    `    this.#journal.append(JSON.stringify({ kind: '${name}.add', item }))`,
    '    this.#kept.set(item.number, item)',
    '    return item',
    '  }',
    '',
    `  move(number: number, state: ${thing}State): ${thing} {`,
    '    const item = this.#kept.get(number)',
    `    if (!item) throw new Error(\`no ${thing.toLowerCase()} \${number}\`)`,
    '    const moved = { ...item, state }',
    `    this.#journal.append(JSON.stringify({ kind: '${name}.move', number, from: item.state, to: state }))`,
    '    this.#kept.set(number, moved)',
    '    return moved',
    '  }',
    '',
    ...finders,
    '}',
  ].join('\n')}\n`
}

function rulesSource({ thing, fields, states, limits }: Area): string {
  const steps = states.slice(0, -1).map((from, index) => {
    const to = states[index + 1] ?? from
    return [
      `/** May a ${thing.toLowerCase()} go from ${from} to ${to}? Returns the reason why not. */`,
      `export function may${upper(to)}(item: ${thing}, now: Date): string | undefined {`,
      `  if (item.state !== '${from}') return \`${thing.toLowerCase()} \${item.number} is \${item.state}, not ${from}\``,
      ...fields.map(
        (field) => `  if (${missing(field)}) return \`${thing.toLowerCase()} \${item.number} has no ${field}\``,
      ),
      `  if (now.getTime() < opened(item, now)) return \`${thing.toLowerCase()} \${item.number} is not open before its day\``,
      '  return undefined',
      '}',
      '',
    ].join('\n')
  })
  const constants = limits.map(([limit, value]) => `export const ${limit} = ${value}`)
  return `${[
    `import type { ${thing} } from './store.ts'`,
    '',
    ...constants,
    '',
    ...steps,
    `/** The first moment at which the office takes changes to a ${thing.toLowerCase()}. */`,
    `function opened(item: ${thing}, now: Date): number {`,
    `  const lead = ${limits[0]?.[0]} * 60_000`,
    '  return item.number > 0 ? now.getTime() - lead : now.getTime()',
    '}',
    '',
    `/** One line a ${thing.toLowerCase()} for the office's wall screen. */`,
    `export function describe(item: ${thing}): string {`,
    `  return [item.number, ${fields.map((field) => `item.${field}`).join(', ')}, item.state].join('  ')`,
    '}',
  ].join('\n')}\n`
}

function testSource({ name, thing, fields, states }: Area): string {
  const cases = states
    .slice(1)
    .flatMap((state) =>
      fields.map((field) =>
        [
          `  it('does not become ${state} without ${field}', () => {`,
          `    const item = sample({ ${field}: ${typeOf(field) === 'number' ? 0 : "''"} })`,
          `    expect(rules.may${upper(state)}(item, NOON)).toMatch(/has no ${field}|is draft|is planned/)`,
          '  })',
        ].join('\n'),
      ),
    )
  return `${[
    "import { describe, expect, it } from 'vitest'",
    "import * as rules from './rules.ts'",
    `import { sample } from '../../test/samples/${name}.ts'`,
    '',
    "const NOON = new Date('2026-06-01T12:00:00Z')",
    '',
    `describe('${thing} rules', () => {`,
    cases.join('\n\n'),
    '})',
  ].join('\n')}\n`
}

function upper(word: string): string {
  return word.charAt(0).toUpperCase() + word.slice(1)
}

function typeOf(field: string): string {
  return /Cents|Percent|Metres|passengers|cabins|crewNeeded/.test(field) ? 'number' : 'string'
}

function missing(field: string): string {
  return typeOf(field) === 'number' ? `item.${field} <= 0` : `item.${field} === ''`
}

const ROUNDING = `/** Tax of an amount, in cents. */
export function taxCents(grossCents: number, percent: number): number {
  return Math.floor((grossCents * percent) / (100 + percent))
}

/** Splits an amount over several harbours by weight. */
export function split(cents: number, weights: readonly number[]): number[] {
  const sum = weights.reduce((total, weight) => total + weight, 0)
  return weights.map((weight) => Math.floor((cents * weight) / sum))
}
`

const README = `# Ferry office

Bookings, crossings, fares and the nightly settlement of a ferry line.

- \`node tools/run-tests.mjs\` runs the tests and prints every one.
- \`node tools/settle.mjs\` prints the settlement of the sample day, line by line.
`

/** Prints what a test run would: it looks at the sources, so that an edit turns a red test green. */
const TEST_RUNNER = `import { readFileSync, readdirSync } from 'node:fs'

const only = process.argv[2]
const rounding = readFileSync('src/settlement/rounding.ts', 'utf8')
const splitIsExact = rounding.includes('remainder')
const taxIsRounded = rounding.includes('Math.round')
let passed = 0
const failures = []
for (const area of readdirSync('src')) {
  if (only && area !== only) continue
  const source = readFileSync(\`src/\${area}/rules.test.ts\`, 'utf8')
  console.log(\`\\n src/\${area}/rules.test.ts\`)
  for (const [, title] of source.matchAll(/it\\('([^']+)'/g)) {
    passed++
    console.log(\`   ok  \${area} > rules > \${title} (\${(title.length * 7) % 11} ms)\`)
  }
  if (area !== 'settlement') continue
  for (let day = 1; day <= 14; day++) {
    const title = \`settlement > sample day \${day} adds up to the cent\`
    if (splitIsExact && (taxIsRounded || day % 2 === 0)) {
      passed++
      console.log(\`   ok  \${title} (\${day % 5} ms)\`)
      continue
    }
    failures.push(title)
    console.log(\` FAIL  \${title}\`)
    console.log(\`       AssertionError: expected \${184250 + day * 37} to be \${184250 + day * 37 + (day % 3) + 1}\`)
    console.log(\`         at statement (src/settlement/rounding.ts:\${splitIsExact ? 3 : 9}:\${day + 10})\`)
    console.log(\`         at close (src/settlement/rules.ts:\${40 + day}:12)\`)
    console.log(\`         at src/settlement/rules.test.ts:\${60 + day}:5\`)
  }
}
console.log(\`\\n\${passed} passed, \${failures.length} failed\`)
for (const title of failures) console.log(\`  failed: \${title}\`)
process.exitCode = failures.length > 0 ? 1 : 0
`

/** Prints a ledger of some hundred lines with the cents that go missing. */
const SETTLE = `import { readFileSync } from 'node:fs'

const exact = readFileSync('src/settlement/rounding.ts', 'utf8').includes('remainder')
const harbours = ['Aldernay', 'Brisk Point', 'Corran', 'Dunmore', 'Eilean']
const lines = Number(process.argv[2] ?? 90)
let missing = 0
console.log('line   crossing   harbour        gross      tax        net   missing')
for (let line = 1; line <= lines; line++) {
  const gross = 1990 + ((line * 7919) % 46000)
  const tax = Math.floor((gross * 19) / 119)
  const lost = exact ? 0 : line % 3
  missing += lost
  const cells = [String(line).padStart(4), \`C\${1000 + (line % 40)}\`.padEnd(9), harbours[line % 5].padEnd(12)]
  console.log([...cells, String(gross).padStart(7), String(tax).padStart(8), String(gross - tax).padStart(10), String(lost).padStart(9)].join('  '))
}
console.log(\`total missing: \${missing} cents in \${lines} lines\`)
`
