/** Bars along one axis, one a row: plain HTML, so that it works without a script, by keyboard and in a screen reader. */
import { escaped } from './escaped.ts'

export interface Bar {
  readonly label: string
  /** What the bar is, in words: its colour alone says nothing to many. */
  readonly state: string
  /** 0 to 1 of the axis; `end` is undefined for what goes on. */
  readonly start: number
  readonly end?: number
  /** Name of the anchor it leads to. */
  readonly link: string
}

export interface Timeline {
  readonly kind: 'timeline'
  readonly title: string
  /** What stands at the beginning and the end of the axis. */
  readonly from: string
  readonly to: string
  readonly bars: readonly Bar[]
}

/** Of the axis: a bar of no length must still be seen. */
const SHORTEST = 0.004

export function timelineHtml({ title, from, to, bars }: Timeline): string {
  const rows = bars.map(({ label, state, start, end, link }) => {
    const length = Math.max(SHORTEST, (end ?? 1) - start)
    const place = `margin-left:${percent(Math.min(start, 1 - SHORTEST))};width:${percent(length)}`
    const name = escaped(`${label}: ${state}`)
    return `<li><a href="#${escaped(link)}" title="${name}"><span class="label">${escaped(label)}</span><span class="lane"><span class="bar ${escaped(state)}" style="${place}"></span></span><span class="state">${escaped(state)}</span></a></li>`
  })
  return `<section><h2>${escaped(title)}</h2><ol class="timeline">${rows.join('\n')}</ol>
<p class="axis"><span>${escaped(from)}</span><span>${escaped(to)}</span></p></section>`
}

function percent(share: number): string {
  return `${Math.round(100_000 * share) / 1000}%`
}

export const TIMELINE_LOOK = `
.timeline { list-style: none; margin: 0; padding: 0; max-height: 32rem; overflow-y: auto; }
.timeline a { display: grid; grid-template-columns: 16rem 1fr 8rem; gap: .7rem; text-decoration: none; align-items: center; }
.label { overflow: hidden; text-overflow: ellipsis; white-space: nowrap; }
.lane { background: #8882; height: .8rem; overflow: hidden; }
.bar { display: block; height: 100%; background: #64748b; }
.bar.completed { background: #16a34a; }
.bar.failed, .bar.failed-to-start { background: #dc2626; }
.bar.timed-out, .bar.suspicious { background: #d97706; }
.bar.running { background: repeating-linear-gradient(90deg, #2563eb 0 6px, #2563eb88 6px 12px); }
.axis { display: flex; justify-content: space-between; margin: .2rem 8.7rem 0 16.7rem; font-size: 13px; }
`
