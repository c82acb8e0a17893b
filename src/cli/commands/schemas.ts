/** `spillway schemas` */
import type { Command } from 'commander'
import { type SchemasReport, schemasIn } from '../../sessions/schemas.ts'
import { printable } from '../printable.ts'
import { count, counted, paint, percent, print, printJson, table } from '../terminal.ts'

const HELP = `
FILE is JSON: tools of Anthropic, OpenAI, MCP or the AI SDK, an MCP tools/list result, or a request that has tools.
The diet drops what only annotates and shortens descriptions; what validates stays. docs/schemas.md has its price.

Examples:
  spillway schemas tools.json
  spillway schemas request.json --json
  spillway schemas tools.json --diet > slim.json`

interface Options {
  diet?: boolean
  json?: boolean
}

export function register(program: Command): void {
  program
    .command('schemas')
    .description('what the tools cost on every request, and what a diet would save')
    .argument('<file>', 'JSON file, or -')
    .option('--diet', 'print the tools on diet, in the shape they came in')
    .option('--json', 'print one JSON document; with --diet it holds the tools too')
    .addHelpText('after', HELP)
    .action(schemas)
}

async function schemas(file: string, options: Options): Promise<void> {
  const { report, diet } = await schemasIn(file)
  if (options.json) printJson(options.diet ? { ...report, diet } : report)
  else if (options.diet) printJson(diet)
  else show(printable(report))
}

function show({ tools, servers, total, dietTotal, system, floor }: SchemasReport): void {
  const columns = [
    { title: 'tool', flexible: true },
    { title: 'tokens', align: 'right' },
    { title: 'on diet', align: 'right' },
    { title: 'saved', align: 'right' },
  ] as const
  const row = (name: string, tokens: number, slim: number): string[] => {
    return [name, count(tokens), count(slim), percent(tokens === 0 ? 0 : 1 - slim / tokens)]
  }
  const many = (tools: number): string => counted(tools, 'tool')
  const sorted = [...tools].sort((one, other) => other.tokens - one.tokens)
  const rows = sorted.map(({ name, tokens, dietTokens }) => row(name, tokens, dietTokens))
  const sums = servers.map(({ name, tools, tokens, dietTokens }) => {
    return row(`MCP server ${name}, ${many(tools)}`, tokens, dietTokens)
  })
  print(table(columns, [...rows, ...sums, row(`all ${many(tools.length)}`, total, dietTotal)]))
  const parts = system > 0 ? ` (system prompt ${count(system)}, tools ${count(total)})` : ''
  print(`${paint.bold('floor')}  ${count(floor)} tokens on every request${parts}`)
}
