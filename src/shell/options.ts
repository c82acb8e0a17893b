import { type Field, UNKNOWN, withText } from './fields.ts'
import type { Effect } from './inquiry.ts'
import type { OptionTable, Why } from './verb.ts'

/** An option as it was used. `name` is the first spelling of the table, without dashes. */
export interface UsedOption {
  readonly name: string
  readonly value: Field | undefined
}

export interface Arguments {
  readonly options: readonly UsedOption[]
  readonly operands: readonly Field[]
  readonly problems: readonly ArgumentProblem[]
}

export interface ArgumentProblem {
  readonly kind: 'refused' | 'unlisted' | 'dynamic'
  readonly subject: string
  readonly why: string
  readonly effect: Effect
}

interface Entry {
  readonly kind: 'flag' | 'value' | 'optional' | 'loose' | 'pair' | 'refused'
  readonly name: string
  readonly why: Why
}

interface Compiled {
  readonly byName: ReadonlyMap<string, Entry>
  readonly longNames: readonly string[]
}

const compiledTables = new WeakMap<OptionTable, Compiled>()

function compile(table: OptionTable): Compiled {
  const known = compiledTables.get(table)
  if (known !== undefined) return known
  const byName = new Map<string, Entry>()
  const addAll = (spellings: string | undefined, kind: Entry['kind']): void => {
    for (const spelling of spellings?.split(/\s+/) ?? []) {
      const name = spelling.replace(/^-+/, '')
      // The first list that names an option decides; `refused` below decides over all lists.
      if (name !== '' && !byName.has(keyOf(spelling))) byName.set(keyOf(spelling), { kind, name, why: '' })
    }
  }
  addAll(table.flags, 'flag')
  addAll(table.values, 'value')
  addAll(table.optional, 'optional')
  addAll(table.loose, 'loose')
  addAll(table.pairs, 'pair')
  for (const [spellings, why] of Object.entries(table.refused ?? {})) {
    const [first = ''] = spellings.split(' ')
    for (const spelling of spellings.split(' ')) {
      byName.set(keyOf(spelling), { kind: 'refused', name: first.replace(/^-+/, ''), why })
    }
  }
  const longNames = [...byName.keys()].filter((key) => key.startsWith('--'))
  const compiled = { byName, longNames }
  compiledTables.set(table, compiled)
  return compiled
}

/** Letters are stored as `-n`, long names as `--lines`; single-dash long names keep their one dash. */
function keyOf(spelling: string): string {
  return spelling.startsWith('-') ? spelling : `-${spelling}`
}

/**
 * Splits words into options and operands the way GNU getopt does (bundles, attached values, abbreviated long names,
 * `--`), and names every word that is not certain to be harmless.
 */
export function readArguments(fields: readonly Field[], table: OptionTable): Arguments {
  const reader = new ArgumentReader(fields, table)
  reader.run()
  return reader
}

class ArgumentReader implements Arguments {
  readonly options: UsedOption[] = []
  readonly operands: Field[] = []
  readonly problems: ArgumentProblem[] = []
  private readonly fields: readonly Field[]
  private readonly table: OptionTable
  private readonly compiled: Compiled
  private at = 0

  constructor(fields: readonly Field[], table: OptionTable) {
    this.fields = fields
    this.table = table
    this.compiled = compile(table)
  }

  run(): void {
    while (this.at < this.fields.length) {
      const field = this.fields[this.at++]
      if (field === undefined) return
      if (field.text === '--' && field.known) {
        this.operands.push(...this.fields.slice(this.at))
        return
      }
      if (field.text.length > 1 && field.text.startsWith('-')) this.readOption(field)
      else {
        if (field.mayBeOption) this.dynamic(field)
        this.operands.push(field)
        if (this.table.stopsAtOperand) {
          this.operands.push(...this.fields.slice(this.at))
          return
        }
      }
    }
  }

  private dynamic(field: Field): void {
    if (this.table.harmless) return
    const hint = field.glob
      ? 'begin it with `./` or a folder'
      : 'write it out, quote it after a fixed beginning, or put `--` before it'
    this.problems.push({
      kind: 'dynamic',
      subject: field.source,
      why: `may turn into an option; ${hint}`,
      effect: 'look',
    })
  }

  private unlisted(field: Field, name: string): void {
    if (this.table.harmless) return
    const why = `has the option \`${name}\`, which is not known to be read-only; leave it out`
    this.problems.push({ kind: 'unlisted', subject: field.source, why, effect: 'act' })
  }

  private refused(field: Field, entry: Entry): void {
    const [why, effect] = typeof entry.why === 'string' ? [entry.why, 'act' as const] : entry.why
    this.problems.push({ kind: 'refused', subject: field.source, why, effect })
  }

  private readOption(field: Field): void {
    const { text } = field
    const equals = text.indexOf('=')
    const unknown = text.indexOf(UNKNOWN)
    // An option whose own name is not known could be any; `--name=` fixes it, unless the value may split.
    const fixed =
      field.known || (text.startsWith('--') && equals > 0 && (unknown < 0 || equals < unknown) && !field.mayVary)
    if (!fixed) {
      this.dynamic(field)
      return
    }
    if (this.table.singleDash) this.readSingleDash(field)
    else if (text.startsWith('--')) this.readLong(field, equals < 0 ? text : text.slice(0, equals), equals)
    else this.readBundle(field)
  }

  private readLong(field: Field, name: string, equals: number): void {
    const entry = this.compiled.byName.get(name) ?? this.abbreviated(name)
    if (entry === undefined) {
      this.unlisted(field, name)
      return
    }
    this.use(field, entry, equals < 0 ? undefined : field.text.slice(equals + 1))
  }

  /** GNU getopt takes any unambiguous beginning of a long name; one that may be a refused name is refused. */
  private abbreviated(name: string): Entry | undefined {
    let found: Entry | undefined
    for (const long of this.compiled.longNames) {
      if (!long.startsWith(name)) continue
      const entry = this.compiled.byName.get(long)
      if (entry?.kind === 'refused') return entry
      found ??= entry
    }
    return found
  }

  private readBundle(field: Field): void {
    const { text } = field
    if (this.table.numbers && /^-\d+$/.test(text)) return
    for (let at = 1; at < text.length; at++) {
      const letter = text[at] ?? ''
      if (this.table.numbers && letter >= '0' && letter <= '9') continue
      const entry = this.compiled.byName.get(`-${letter}`)
      if (entry === undefined) {
        this.unlisted(field, `-${letter}`)
        if (this.table.harmless) continue
        return
      }
      const rest = text.slice(at + 1)
      if (entry.kind === 'flag') this.options.push({ name: entry.name, value: undefined })
      else {
        this.use(field, entry, rest === '' ? undefined : rest)
        return
      }
    }
  }

  private readSingleDash(field: Field): void {
    const { text } = field
    const exact = this.compiled.byName.get(text)
    if (exact !== undefined) {
      this.use(field, exact, undefined)
      return
    }
    const letter = this.compiled.byName.get(text.slice(0, 2))
    if (letter !== undefined && letter.kind === 'value') this.use(field, letter, text.slice(2))
    else this.unlisted(field, text)
  }

  private use(field: Field, entry: Entry, attached: string | undefined): void {
    if (entry.kind === 'refused') {
      this.refused(field, entry)
      return
    }
    let value = attached === undefined ? undefined : withText(field, attached)
    if (entry.kind === 'value' && value === undefined) value = this.takeValue()
    if (entry.kind === 'loose' && value === undefined && !/^[-+]/.test(this.fields[this.at]?.text ?? '-')) {
      value = this.takeValue()
    }
    if (entry.kind === 'pair') {
      if (value === undefined) this.takeValue()
      value = this.takeValue()
    }
    this.options.push({ name: entry.name, value })
  }

  /** The next word is the value, whatever it is; a word that may vanish would make its successor the value. */
  private takeValue(): Field | undefined {
    const value = this.fields[this.at++]
    if (value?.mayVary) this.dynamic(value)
    return value
  }
}
