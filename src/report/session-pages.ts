/** The pages of `analyze --html` and `compact --html`. */
import type { Analysis } from '../sessions/analyze.ts'
import type { CompactReport } from '../sessions/compact-report.ts'
import { page, type Section } from './page.ts'

/** What the session cost under a strategy, in percent of sending everything on every call. */
export interface CostRow {
  readonly name: string
  readonly costShare: number
  readonly costWithRestoresShare: number
  readonly peak: number
}

export interface CostComparison {
  /** Whose prices. */
  readonly basis: string
  readonly rows: readonly CostRow[]
}

/** `cost` is left out where no call is recorded. */
export function analyzePage(analysis: Analysis, cost?: CostComparison): string {
  const { tokens, context, largest } = analysis
  /** `pieceOf` leads from a row to the largest piece behind it. */
  const sums = (
    title: string,
    name: string,
    all: Readonly<Record<string, number>>,
    pieceOf?: (key: string) => number,
  ): Section => {
    const entries = Object.entries(all)
      .filter(([, sum]) => sum > 0)
      .sort((a, b) => b[1] - a[1])
    const pieces = entries.map(([key]) => pieceOf?.(key) ?? -1)
    return {
      kind: 'table',
      title,
      columns: [name, 'tokens', 'share %'],
      rows: entries.map(([key, sum]) => [key, sum, percent(tokens.total === 0 ? 0 : sum / tokens.total)]),
      links: pieces.map((index) => (index < 0 ? undefined : `piece-${index}`)),
    }
  }
  const sections: Section[] = [
    {
      kind: 'chart',
      title: 'Context over calls, as the provider counted it',
      along: 'call',
      series: [{ name: 'prompt', values: context.prompts }],
      marks: context.compactedBefore,
      marksAre: 'compacted before call',
    },
    sums('What the context holds, by kind', 'kind', tokens.byKind, (kind) =>
      largest.findIndex((piece) => piece.kind === kind),
    ),
    sums('What the context holds, by tool', 'tool', tokens.byTool, (tool) =>
      largest.findIndex((piece) => piece.tool === tool),
    ),
    ...(cost ? [costTable(cost)] : []),
    {
      kind: 'table',
      title: 'The largest pieces',
      columns: ['message', 'kind', 'tool', 'what', 'tokens'],
      rows: largest.map(({ message, kind, tool, what, tokens: size }) => [message, kind, tool ?? '', what, size]),
      anchors: largest.map((_, index) => `piece-${index}`),
    },
    sums('What each rule alone would free', 'rule', analysis.could),
    {
      kind: 'table',
      title: 'Threads',
      columns: ['thread', 'turns', 'calls', 'tokens'],
      rows: analysis.threads.map(({ name, turns, calls, tokens: size }) => [name, turns, calls, size]),
    },
  ]
  return page(`Spillway: ${analysis.file}`, sections, analysis)
}

function costTable({ basis, rows }: CostComparison): Section {
  return {
    kind: 'table',
    title: 'What the session cost, with and without',
    columns: [`priced by ${basis}`, 'cost %', 'cost with restores %', 'largest prompt'],
    rows: rows.map((row) => [row.name, percent(row.costShare), percent(row.costWithRestoresShare), row.peak]),
  }
}

function percent(share: number): number {
  return Math.round(1000 * share) / 10
}

export function compactPage(report: CompactReport): string {
  const sections: Section[] = [
    {
      kind: 'table',
      title: 'Tokens of what would be sent',
      columns: ['', 'before', 'after'],
      rows: [
        ['tokens', report.tokens.before, report.tokens.after],
        ['bytes', report.bytes.before, report.bytes.after],
      ],
    },
    {
      kind: 'table',
      title: `The plan (${report.prices})`,
      columns: ['decision'],
      rows: report.plan.map((line) => [line]),
    },
    {
      kind: 'table',
      title: 'By rule',
      columns: ['rule', 'edits', 'tokens freed'],
      rows: Object.entries(report.byRule).map(([rule, { edits, tokens }]) => [rule, edits, tokens]),
      links: Object.keys(report.byRule).map((rule) => firstOf(report, rule)),
    },
    {
      kind: 'table',
      title: 'Every change, with what brings it back',
      columns: ['line', 'rule', 'what', 'tokens', 'recall'],
      rows: report.edits.map((edit) => [
        edit.line ?? 'new',
        edit.rule,
        edit.what,
        edit.tokens,
        edit.references.map((reference) => `spillway recall ${reference}`).join(' '),
      ]),
      anchors: report.edits.map((_, index) => `edit-${index}`),
    },
  ]
  return page(`Spillway: ${report.file} compacted`, sections, report)
}

function firstOf(report: CompactReport, rule: string): string | undefined {
  const index = report.edits.findIndex((edit) => edit.rule === rule)
  return index < 0 ? undefined : `edit-${index}`
}
