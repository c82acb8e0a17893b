// The rules of the house that no linter knows (DESIGN section 3): imports point down only, a folder has one front
// door, files stay short and say what they are.
import { readdirSync, readFileSync } from 'node:fs'
import { dirname, relative, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'

const FLOORS = {
  shell: 0,
  core: 1,
  planning: 2,
  formats: 2,
  archive: 2,
  testing: 3,
  replay: 3,
  stores: 3,
  sessions: 3,
  loops: 3,
  hands: 4,
  agent: 4,
  workflow: 5,
  report: 5,
  cli: 6,
}
const MOST_LINES = 400
const EMPTY_NAMES = /(^|\/)(utils?|helpers?|misc|common|manager)(\.ts|\/)/
const ONLY_IN = [
  { module: '@anthropic-ai/claude-agent-sdk', folders: ['agent'] },
  { module: 'better-sqlite3', folders: ['archive', 'stores', 'formats'] },
]

const root = resolve(dirname(fileURLToPath(import.meta.url)), '../src')
const problems = []
for (const name of readdirSync(root, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.ts'))) {
  const text = readFileSync(resolve(root, name), 'utf8')
  const lines = text.split('\n').length - 1
  if (lines > MOST_LINES && !name.endsWith('.test.ts') && !name.endsWith('.generated.ts')) {
    problems.push(`${name}: ${lines} lines, at most ${MOST_LINES}`)
  }
  if (EMPTY_NAMES.test(name)) problems.push(`${name}: the name says nothing`)
  const floor = name.includes('/') ? name.split('/')[0] : undefined
  if (floor !== undefined && !(floor in FLOORS)) problems.push(`${name}: the folder ${floor} is not in the house`)
  for (const [, specifier] of text.matchAll(/(?:from|import)\s*\(?\s*['"]([^'"]+)['"]/g)) {
    for (const rule of ONLY_IN) {
      const bare = specifier === rule.module || specifier.startsWith(`${rule.module}/`)
      if (bare && !rule.folders.includes(floor ?? '') && !name.endsWith('.test.ts')) {
        problems.push(`${name}: only ${rule.folders.join(', ')} may import ${rule.module}`)
      }
    }
    if (!specifier.startsWith('.') || floor === undefined) continue
    const target = relative(root, resolve(root, dirname(name), specifier))
    if (target.startsWith('..')) {
      if (!name.endsWith('.test.ts')) problems.push(`${name}: imports ${specifier}, outside src`)
      continue
    }
    const other = target.includes('/') ? target.split('/')[0] : undefined
    if (other === undefined || other === floor || !(other in FLOORS)) continue
    if (FLOORS[other] >= FLOORS[floor] && !name.endsWith('.test.ts')) {
      problems.push(`${name}: imports ${target}, which is not on a lower floor`)
    }
  }
}
for (const problem of problems) process.stderr.write(`${problem}\n`)
if (problems.length > 0) process.exit(1)
