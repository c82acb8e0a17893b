/** `npm run bench -- NAME…`: prints the tables behind the figures in docs/. Without a name, all of them. */
const BENCHES: Readonly<Record<string, () => Promise<void>>> = {
  savings: async () => (await import('./savings.ts')).benchSavings(),
  calibration: async () => (await import('./calibration.ts')).benchCalibration(),
  'token-weights': async () => (await import('./token-weights.ts')).benchTokenWeights(),
  speed: async () => (await import('./speed.ts')).benchSpeed(),
  glance: async () => (await import('./glance.ts')).benchGlance(),
  replay: async () => (await import('./replay.ts')).benchReplay(),
  schemas: async () => (await import('./schemas.ts')).benchSchemas(),
  fit: async () => (await import('./fit.ts')).benchFit(),
  tasks: async () => (await import('./tasks.ts')).benchTasks(),
  runtime: async () => (await import('./runtime.ts')).benchRuntime(),
  archive: async () => (await import('./archive.ts')).benchArchive(),
}

const names = process.argv.slice(2)
const unknown = names.find((name) => !(name in BENCHES))
if (unknown !== undefined) {
  process.stderr.write(`bench: no "${unknown}"; there are ${Object.keys(BENCHES).join(', ')}\n`)
  process.exitCode = 2
} else {
  for (const name of names.length > 0 ? names : Object.keys(BENCHES)) {
    process.stdout.write(`\n== ${name}\n`)
    await BENCHES[name]?.()
  }
}
