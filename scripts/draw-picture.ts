/**
 * Draws docs/picture.svg: what the context of examples/long.jsonl holds before and after `spillway compact`, from a
 * real run. `npm run draw-picture` writes it; a test fails when it no longer says what the run says.
 */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { analyzeSession } from '../src/sessions/analyze.ts'
import { compactSession } from '../src/sessions/compact.ts'

const project = fileURLToPath(new URL('..', import.meta.url))
export const PICTURE = join(project, 'docs/picture.svg')

const KINDS = [
  ['toolResults', 'tool results', '#3b82c4'],
  ['callArguments', 'call arguments', '#e0a030'],
  ['thinking', 'thinking', '#8f6fc9'],
  ['assistantText', 'the agent’s words', '#4da167'],
  ['userText', 'the user’s words', '#d45d5d'],
  ['other', 'reminders and the rest', '#8a8f98'],
] as const
const WIDTH = 760
const BAR = 620

type Sizes = Readonly<Record<string, number>>

export async function drawPicture(): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'spillway-picture-'))
  try {
    const out = join(folder, 'long.compact.jsonl')
    const archive = join(folder, 'archive')
    const report = await compactSession(join(project, 'examples/long.jsonl'), {
      target: { kind: 'file', path: out },
      archive,
    })
    const before = await analyzeSession(join(project, 'examples/long.jsonl'))
    const after = await analyzeSession(out)
    // The usage recorded in the compacted file belongs to the longer prompts: one scale for both.
    const scale = report.tokens.after / after.tokens.total
    const scaled = Object.entries(after.tokens.byKind).map(([kind, size]) => [kind, Math.round(size * scale)])
    return svg(before.tokens.byKind, Object.fromEntries(scaled))
  } finally {
    rmSync(folder, { recursive: true })
  }
}

function svg(before: Sizes, after: Sizes): string {
  const total = sum(before)
  const kept = Math.round((100 * sum(after)) / total)
  const rows = [bar('before', before, total, 54), bar('after', after, total, 124)].join('\n')
  const legend = KINDS.map(([, label, color], index) => {
    const x = 20 + (index % 3) * 245
    const y = 184 + Math.floor(index / 3) * 22
    return `  <rect x="${x}" y="${y - 10}" width="11" height="11" rx="2" fill="${color}"/><text x="${x + 17}" y="${y}">${label}</text>`
  }).join('\n')
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} 218" role="img" aria-labelledby="title">
  <title id="title">The context of examples/long.jsonl before and after spillway compact: ${tokens(sum(before))} and ${tokens(sum(after))}.</title>
  <style>
    text { font: 13px system-ui, sans-serif; fill: #1f2328 }
    .strong { font-weight: 600 }
    .track { fill: #eef0f3 }
    @media (prefers-color-scheme: dark) { text { fill: #e6edf3 } .track { fill: #21262d } }
  </style>
  <text x="20" y="24" class="strong">What is re-sent on every turn, before and after: ${kept} % is left, the rest is one recall away</text>
${rows}
${legend}
</svg>
`
}

function bar(label: string, sizes: Sizes, total: number, y: number): string {
  let x = 20
  const parts = KINDS.map(([kind, name, color]) => {
    const width = (BAR * (sizes[kind] ?? 0)) / total
    const part = `  <rect x="${x.toFixed(1)}" y="${y}" width="${width.toFixed(1)}" height="34" fill="${color}"><title>${name}: ${tokens(sizes[kind] ?? 0)}</title></rect>`
    x += width
    return part
  })
  return [
    `  <text x="20" y="${y - 7}">${label}: ${tokens(sum(sizes))}</text>`,
    `  <rect x="20" y="${y}" width="${BAR}" height="34" class="track"/>`,
    ...parts,
  ].join('\n')
}

const sum = (sizes: Sizes): number => Object.values(sizes).reduce((total, size) => total + size, 0)
const tokens = (count: number): string => `${count.toLocaleString('en-US')} tokens`

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const drawn = await drawPicture()
  const changed = !readFileSync(PICTURE, { encoding: 'utf8', flag: 'a+' }).includes(drawn)
  writeFileSync(PICTURE, drawn)
  process.stdout.write(`docs/picture.svg ${changed ? 'drawn' : 'unchanged'}\n`)
}
