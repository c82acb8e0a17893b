/** The pages of `analyze --html` and `compact --html`. */
import type { Analysis } from '../sessions/analyze.ts'
import type { CompactReport } from '../sessions/compact-report.ts'
import { page, type Section } from './page.ts'

export function analyzePage(analysis: Analysis): string {
  const { tokens, context } = analysis
  const sums = (title: string, name: string, all: Readonly<Record<string, number>>): Section => ({
    kind: 'table',
    title,
    columns: [name, 'tokens', 'share %'],
    rows: Object.entries(all)
      .filter(([, sum]) => sum > 0)
      .sort((a, b) => b[1] - a[1])
      .map(([key, sum]) => [key, sum, tokens.total === 0 ? 0 : Math.round((1000 * sum) / tokens.total) / 10]),
  })
  const sections: Section[] = [
    {
      kind: 'chart',
      title: 'Context over calls, as the provider counted it',
      along: 'call',
      series: [{ name: 'prompt', values: context.prompts }],
      marks: context.compactedBefore,
      marksAre: 'compacted before call',
    },
    sums('What the context holds, by kind', 'kind', tokens.byKind),
    sums('What the context holds, by tool', 'tool', tokens.byTool),
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
