/** `npm run nightly -- NAME…`: what takes too long for every change. Without a name, all of it. */
const NIGHTLY: Readonly<Record<string, () => Promise<void>>> = {
  glance: async () => (await import('./nightly-glance.ts')).nightlyGlance(),
  matrix: async () => (await import('./nightly-matrix.ts')).nightlyMatrix(),
  properties: async () => (await import('./nightly-properties.ts')).nightlyProperties(),
}

const names = process.argv.slice(2)
const unknown = names.find((name) => !(name in NIGHTLY))
if (unknown !== undefined) {
  process.stderr.write(`nightly: no "${unknown}"; there are ${Object.keys(NIGHTLY).join(', ')}\n`)
  process.exitCode = 2
} else {
  for (const name of names.length > 0 ? names : Object.keys(NIGHTLY)) {
    process.stdout.write(`\n== ${name}\n`)
    await NIGHTLY[name]?.()
  }
}
