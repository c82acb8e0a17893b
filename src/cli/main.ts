#!/usr/bin/env node
/** The `spillway` program. `--version` is answered before anything is loaded. */
import { VERSION } from './version.ts'

const words = process.argv.slice(2)
if (words.length === 1 && (words[0] === '--version' || words[0] === '-V')) {
  process.stdout.write(`${VERSION}\n`)
} else {
  const { run } = await import('./run.ts')
  await run(words)
}
