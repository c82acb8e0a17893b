/** `spillway skills` */
import type { Command } from 'commander'
import { SpillwayError } from '../../core/errors.ts'
import { EXIT } from '../exit.ts'
import { printableLine } from '../printable.ts'
import { publishedSkills, skillsFolder, verifySkills } from '../published-skills.ts'
import { paint, print, printJson } from '../terminal.ts'

const HELP = `
Agent skills teach an agent to use Spillway. To install them for Claude Code, copy the folders:
  cp -r node_modules/spillway/skills/spillway-* .claude/skills/

Examples:
  spillway skills list
  spillway skills verify                   the skills of this package, against their published SHA-256
  spillway skills verify .claude/skills    those that are installed`

interface Options {
  json?: boolean
}

export function register(program: Command): void {
  program
    .command('skills')
    .description('the agent skills of this package, and whether they are as published')
    .argument('<action>', 'list or verify')
    .argument('[folder]', 'with verify: where they are installed')
    .option('--json', 'print one JSON document')
    .addHelpText('after', HELP)
    .action(skills)
}

function skills(action: string, folder: string | undefined, options: Options): void {
  if (action === 'list' && folder === undefined) list(options)
  else if (action === 'verify') verify(folder, options)
  else throw new SpillwayError('usage', 'expected: spillway skills list, or spillway skills verify [FOLDER]')
}

function list({ json }: Options): void {
  const folder = skillsFolder()
  const published = publishedSkills(folder)
  if (json) printJson({ folder, skills: published })
  else for (const { name, description, file } of published) print(`${paint.bold(name)}\n  ${description}\n  ${file}`)
}

function verify(folder: string | undefined, { json }: Options): void {
  const results = verifySkills(skillsFolder(), folder)
  if (json) printJson({ skills: results })
  else
    for (const { name, state, file } of results)
      print(`${state === 'ok' ? paint.green('ok') : paint.red(state)}  ${printableLine(`${name}  ${file}`)}`)
  if (results.some(({ state }) => state !== 'ok')) process.exitCode = EXIT.problem
}
