/** The page of `replay --html`. */
import type { Comparison, Recording, Row } from '../replay/index.ts'
import { page, type Section } from './page.ts'

export interface ReplayDocument {
  readonly sessions: readonly { readonly file: string; readonly turns: number }[]
  readonly prices: { readonly basis: string }
  readonly window: number
  readonly strategies: readonly Row[]
  readonly recordings: readonly Recording[]
  readonly runs: Comparison['runs']
}

/** Charts hold the first sessions only, so that a page of hundreds stays small. */
const MOST_CHARTS = 12

export function replayPage({ recordings, runs, ...document }: ReplayDocument): string {
  const { strategies } = document
  const percent = (share: number): number => Math.round(1000 * share) / 10
  const sections: Section[] = [
    {
      kind: 'table',
      title: 'Strategies',
      columns: [
        'strategy',
        'tokens %',
        'cost %',
        'cost with restores %',
        'peak',
        'over the window',
        'breaks per 100',
        'visible %',
        'recoverable %',
      ],
      rows: strategies.map((row) => [
        row.name,
        percent(row.tokensShare),
        percent(row.costShare),
        percent(row.costWithRestoresShare),
        row.peak,
        row.overWindow,
        Math.round(10 * row.breaksPer100) / 10,
        percent(row.visible),
        percent(row.recoverable),
      ]),
    },
    ...recordings
      .slice(0, MOST_CHARTS)
      .flatMap((recording, index) => chartsOf(recording.name, index, strategies, runs)),
  ]
  return page(
    `Spillway replay: ${document.prices.basis}, window ${document.window.toLocaleString('en-US')}`,
    sections,
    document,
  )
}

function chartsOf(name: string, index: number, rows: readonly Row[], runs: Comparison['runs']): Section[] {
  const named = rows.map((row, at) => ({ name: row.name, run: runs[at]?.[index] }))
  const ours = named.find((each) => each.name === 'default') ?? named[1]
  const marks = ours?.run ? rewritesOf(ours.run.prompts) : []
  return [
    {
      kind: 'chart',
      title: `Context of ${name}`,
      along: 'call',
      series: named.map((each) => ({ name: each.name, values: [...(each.run?.prompts ?? [])].map(Math.round) })),
      marks,
      marksAre: `calls at which ${ours?.name ?? ''} took something out`,
    },
    {
      kind: 'chart',
      title: `Cost of ${name}, in uncached input tokens`,
      along: 'call',
      series: named.map((each) => ({ name: each.name, values: paidUpTo(each.run?.costs ?? new Float64Array()) })),
    },
  ]
}

/** Calls whose prompt is smaller than the one before. */
function rewritesOf(prompts: Float64Array): number[] {
  return [...prompts.keys()].filter((call) => call > 0 && (prompts[call] ?? 0) < (prompts[call - 1] ?? 0))
}

function paidUpTo(costs: Float64Array): number[] {
  let paid = 0
  return [...costs].map((cost) => {
    paid += cost
    return Math.round(paid)
  })
}
