/**
 * One self-contained page: tables first, charts drawn from the same numbers beside them. No network, works from
 * `file://`, light and dark; everything a chart shows stands in a table that a keyboard and a screen reader reach.
 */
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { escaped } from './escaped.ts'
import { TIMELINE_LOOK, type Timeline, timelineHtml } from './timeline.ts'

export interface Chart {
  readonly kind: 'chart'
  readonly title: string
  /** Of the horizontal axis. */
  readonly along: string
  readonly series: readonly { readonly name: string; readonly values: readonly number[] }[]
  /** Indexes that are marked: where a history was rewritten or compacted. */
  readonly marks?: readonly number[]
  readonly marksAre?: string
}

export interface Table {
  readonly kind: 'table'
  readonly title: string
  readonly columns: readonly string[]
  readonly rows: readonly (readonly (string | number)[])[]
  /** Name of the anchor of each row, and where each row leads. */
  readonly anchors?: readonly string[]
  readonly links?: readonly (string | undefined)[]
}

export type Section = Chart | Table | Timeline

const require = createRequire(import.meta.url)

/** `data` is put into the page as JSON, so that it says what the command's own `--json` says. */
export function page(title: string, sections: readonly Section[], data: unknown): string {
  const charts = sections.filter((section) => section.kind === 'chart')
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escaped(title)}</title>
<style>${readFileSync(require.resolve('uplot/dist/uPlot.min.css'), 'utf8')}${LOOK}${TIMELINE_LOOK}</style>
</head>
<body>
<main>
<h1>${escaped(title)}</h1>
${sections.map((section) => sectionHtml(section, charts)).join('\n')}
</main>
<script type="application/json" id="data">${json(data)}</script>
<script type="application/json" id="charts">${json(charts)}</script>
<script>${readFileSync(require.resolve('uplot/dist/uPlot.iife.min.js'), 'utf8')}</script>
<script>${DRAW}</script>
</body>
</html>
`
}

function sectionHtml(section: Section, charts: readonly Chart[]): string {
  if (section.kind === 'chart') return chartHtml(section, charts.indexOf(section))
  return section.kind === 'table' ? tableHtml(section) : timelineHtml(section)
}

function chartHtml(chart: Chart, index: number): string {
  const names = chart.series.map(({ name }) => name).join(', ')
  const marks =
    chart.marks && chart.marks.length > 0
      ? `<p>${escaped(chart.marksAre ?? 'marked')}: ${chart.marks.map((mark) => mark + 1).join(', ')}</p>`
      : ''
  return `<section><h2>${escaped(chart.title)}</h2>
<div class="chart" id="chart-${index}" role="img" aria-label="${escaped(`${chart.title}, by ${chart.along}: ${names}; the numbers are in the table below`)}"></div>
${marks}
<details><summary>The numbers</summary>${numbersHtml(chart)}</details></section>`
}

/** At most this many rows: a table of thousands helps nobody; the data of the page has them all. */
const MOST_ROWS = 200

function numbersHtml(chart: Chart): string {
  const length = Math.max(0, ...chart.series.map(({ values }) => values.length))
  const step = Math.max(1, Math.ceil(length / MOST_ROWS))
  const rows = Array.from({ length: Math.ceil(length / step) }, (_, row) => [
    row * step + 1,
    ...chart.series.map(({ values }) => Math.round(values[row * step] ?? 0)),
  ])
  return tableBody([chart.along, ...chart.series.map(({ name }) => name)], rows)
}

function tableHtml(table: Table): string {
  return `<section><h2>${escaped(table.title)}</h2>${tableBody(table.columns, table.rows, table)}</section>`
}

function tableBody(
  columns: readonly string[],
  rows: readonly (readonly (string | number)[])[],
  names: Pick<Table, 'anchors' | 'links'> = {},
): string {
  const cell = (value: string | number): string =>
    typeof value === 'number'
      ? `<td class="number">${value.toLocaleString('en-US')}</td>`
      : `<td>${escaped(value)}</td>`
  const line = (row: readonly (string | number)[], index: number): string => {
    const [first = '', ...rest] = row
    const link = names.links?.[index]
    const label = escaped(typeof first === 'number' ? first.toLocaleString('en-US') : first)
    const head = link === undefined ? label : `<a href="#${escaped(link)}">${label}</a>`
    const anchor = names.anchors?.[index]
    const id = anchor === undefined ? '' : ` id="${escaped(anchor)}"`
    return `<tr${id}><th scope="row">${head}</th>${rest.map(cell).join('')}</tr>`
  }
  const heads = columns.map((column) => `<th scope="col">${escaped(column)}</th>`).join('')
  return `<div class="scroll" tabindex="0"><table><thead><tr>${heads}</tr></thead><tbody>${rows.map(line).join('\n')}</tbody></table></div>`
}

/** No text in it can end the script it stands in. */
function json(value: unknown): string {
  return JSON.stringify(value).replaceAll('<', '\\u003c')
}

const LOOK = `
:root { color-scheme: light dark; --line: #8884; --accent: #2563eb; }
body { margin: 0; font: 15px/1.5 system-ui, sans-serif; }
main { max-width: 70rem; margin: 0 auto; padding: 1rem; }
table { border-collapse: collapse; font-variant-numeric: tabular-nums; }
th, td { padding: .2rem .7rem; border-bottom: 1px solid var(--line); text-align: left; overflow-wrap: anywhere; }
thead th { white-space: nowrap; }
td { white-space: pre-line; }
.number { text-align: right; white-space: nowrap; }
.scroll { overflow-x: auto; max-height: 32rem; }
a, summary { color: LinkText; }
:target { background: Highlight; color: HighlightText; }
:focus-visible { outline: 2px solid var(--accent); }
.u-legend { font-size: 13px; }
`

/** Drawn in the browser from the JSON beside it. */
const DRAW = `
const charts = JSON.parse(document.getElementById('charts').textContent)
const hue = (index, count) => 'hsl(' + Math.round(360 * index / Math.max(1, count)) + ' 65% 48%)'
const ink = () => getComputedStyle(document.body).color
const draw = (chart, at) => {
  const place = document.getElementById('chart-' + at)
  place.replaceChildren()
  const length = Math.max(0, ...chart.series.map((one) => one.values.length))
  const along = Array.from({ length }, (_, index) => index + 1)
  const axis = { stroke: ink, grid: { stroke: '#8884' }, ticks: { stroke: '#8884' } }
  const marks = (plot) => {
    plot.ctx.strokeStyle = '#8888'
    for (const mark of chart.marks ?? []) {
      const x = Math.round(plot.valToPos(mark + 1, 'x', true))
      plot.ctx.beginPath()
      plot.ctx.moveTo(x, plot.bbox.top)
      plot.ctx.lineTo(x, plot.bbox.top + plot.bbox.height)
      plot.ctx.stroke()
    }
  }
  new uPlot({
    width: Math.max(320, place.clientWidth), height: 320, scales: { x: { time: false } },
    axes: [{ ...axis, label: chart.along }, { ...axis, size: 80 }],
    series: [{ label: chart.along }, ...chart.series.map((one, index) => ({ label: one.name, stroke: hue(index, chart.series.length), width: 1.5 }))],
    hooks: { draw: [marks] },
  }, [along, ...chart.series.map((one) => one.values)], place)
}
const all = () => charts.forEach(draw)
all()
addEventListener('resize', all)
`
