// Writes the tables of docs/glance.md from the verb tables: `npx tsx scripts/generate-glance-docs.ts`.
import { readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { FIXED_GUARDS } from '../src/shell/guards.ts'
import type { Verb } from '../src/shell/verb.ts'
import { FAMILIES } from '../src/shell/verbs/table.ts'

const DOCUMENT = fileURLToPath(new URL('../docs/glance.md', import.meta.url))
const BEGIN = '<!-- generated: begin (scripts/generate-glance-docs.ts) -->'
const END = '<!-- generated: end -->'

function cell(text: string): string {
  return text.replaceAll('|', '\\|').replaceAll('\n', ' ')
}

function whyOf(why: string | readonly [string, string]): string {
  return typeof why === 'string' ? why : why[0]
}

function allowedOf(verb: Verb): string {
  if (verb.exactly !== undefined) return verb.exactly.map((word) => `\`${word}\``).join(', ')
  const { options } = verb
  const words = [options.flags, options.values, options.optional, options.loose, options.pairs].flatMap(
    (list) => list?.split(/\s+/) ?? [],
  )
  const count = new Set(words.filter((word) => word !== '')).size
  const described = options.harmless ? 'any option' : count === 0 ? 'no option' : `${count} listed options`
  const input = verb.input === undefined ? '' : '; with a file or a pipe'
  return `${described}${input}${verb.note === undefined ? '' : `; ${verb.note}`}`
}

function refusedOf(verb: Verb): string {
  const options = Object.entries(verb.options.refused ?? {}).map(([names, why]) => {
    const spelled = names.split(' ').map((name) => (name.startsWith('-') ? name : `-${name}`))
    return `\`${spelled.join(' ')}\` ${whyOf(why)}`
  })
  const verbs = Object.entries(verb.refusedVerbs ?? {}).map(([name, why]) => `\`${name}\` ${whyOf(why)}`)
  const operands = (verb.operands ?? []).map((rule) => `an operand that ${whyOf(rule.why)}`)
  const values = Object.entries(verb.optionValues ?? {}).map(
    ([name, rule]) => `a value of \`${name}\` that ${whyOf(rule.why)}`,
  )
  return [...options, ...operands, ...values, ...verbs].join('; ')
}

function rows(verb: Verb, before: string): readonly string[] {
  const path = verb.names.map((name) => `\`${before}${name}\``).join(' ')
  const row = `| ${path} | ${cell(allowedOf(verb))} | ${cell(refusedOf(verb))} |`
  return [row, ...(verb.verbs ?? []).flatMap((sub) => rows(sub, `${before}${verb.names[0]} `))]
}

/** Tools that are asked in the same words share a row. */
function rowsByWords(verbs: readonly Verb[]): readonly string[] {
  const byWords = new Map<string, string[]>()
  for (const verb of verbs) byWords.set(allowedOf(verb), [...(byWords.get(allowedOf(verb)) ?? []), ...verb.names])
  return [...byWords].map(
    ([words, names]) => `| ${names.map((name) => `\`${name}\``).join(' ')} | ${words} | anything else |`,
  )
}

/** The generated part of docs/glance.md. */
export function glanceTables(): string {
  const families = FAMILIES.map((family) => {
    const head = '| verb | may have | refused |\n| --- | --- | --- |'
    const exact = family.verbs.every((verb) => verb.exactly !== undefined)
    return `### ${family.title}\n\n${head}\n${(exact ? rowsByWords(family.verbs) : family.verbs.flatMap((verb) => rows(verb, ''))).join('\n')}`
  })
  const guards = Object.entries(FIXED_GUARDS).map(([name, what]) => `| ${name} | ${cell(what)} |`)
  return `${families.join('\n\n')}\n\n### Everything else that is refused\n\n| guard | keeps out |\n| --- | --- |\n${guards.join('\n')}`
}

/** The document with its generated part made anew; throws when the marks are missing. */
export function withTables(document: string): string {
  const [begin, end] = [document.indexOf(BEGIN), document.indexOf(END)]
  if (begin < 0 || end < begin) throw new Error(`docs/glance.md: the marks "${BEGIN}" and "${END}" are expected`)
  return `${document.slice(0, begin + BEGIN.length)}\n\n${glanceTables()}\n\n${document.slice(end)}`
}

if (process.argv[1] === fileURLToPath(import.meta.url))
  writeFileSync(DOCUMENT, withTables(readFileSync(DOCUMENT, 'utf8')))
