// `npx spillway` in a clone finds the command that was just built, instead of installing the clone into a cache first.
import { chmodSync, existsSync, lstatSync, rmSync, symlinkSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const program = fileURLToPath(new URL('../dist/cli/main.js', import.meta.url))
const commands = fileURLToPath(new URL('../node_modules/.bin', import.meta.url))
const link = `${commands}/spillway`

chmodSync(program, 0o755)
if (existsSync(commands)) {
  if (lstatSync(link, { throwIfNoEntry: false })?.isSymbolicLink()) rmSync(link)
  if (!existsSync(link)) symlinkSync('../../dist/cli/main.js', link)
}
