/** The pages of `--html` in a real browser: they render, complain about nothing, and say what `--json` says. */
import { existsSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { type Browser, chromium, type Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { sessionCost } from '../src/cli/session-cost.ts'
import { windowOf } from '../src/core/models.ts'
import { pricesFor } from '../src/planning/prices.ts'
import { compare, STRATEGIES } from '../src/replay/index.ts'
import { analyzePage, compactPage, replayPage, tasksPage } from '../src/report/index.ts'
import { analyzeSession } from '../src/sessions/analyze.ts'
import { compactSession } from '../src/sessions/compact.ts'
import { sessionTasks } from '../src/sessions/tasks.ts'
import { delegatedRun } from './support/delegated-run.ts'
import { recordingIn } from './support/recordings.ts'
import { EXAMPLES, noticeMissing, sessionFiles } from './support/shared.ts'

const CHROMIUM = process.env.CHROMIUM ?? '/usr/bin/chromium'
const hasBrowser = existsSync(CHROMIUM)
if (!hasBrowser) noticeMissing(CHROMIUM)

const example = join(EXAMPLES, 'long.jsonl')
/** A session of 4 MB where there is one. */
const large = sessionFiles('claude-code').find((file) => /erk-87/.test(file)) ?? example
const MOST_BYTES = 1_500_000

describe.skipIf(!hasBrowser)('pages in a browser', () => {
  const folder = mkdtempSync(join(tmpdir(), 'spillway-report-'))
  let browser: Browser

  beforeAll(async () => {
    browser = await chromium.launch({ executablePath: CHROMIUM, args: ['--no-sandbox'] })
  }, 60_000)
  afterAll(async () => {
    await browser?.close()
    rmSync(folder, { recursive: true })
  })

  async function opened(name: string, html: string, work: (page: Page) => Promise<void>): Promise<void> {
    const file = join(folder, `${name}.html`)
    writeFileSync(file, html)
    expect(statSync(file).size).toBeLessThan(MOST_BYTES)
    for (const colorScheme of ['light', 'dark'] as const) {
      const context = await browser.newContext({ colorScheme, offline: true })
      const page = await context.newPage()
      const complaints: string[] = []
      page.on('console', (entry) => {
        if (entry.type() === 'error' || entry.type() === 'warning') complaints.push(entry.text())
      })
      page.on('pageerror', (error) => complaints.push(String(error)))
      page.on('request', (request) => {
        if (!request.url().startsWith('file:')) complaints.push(request.url())
      })
      await page.goto(pathToFileURL(file).href)
      await work(page)
      expect(complaints).toEqual([])
      await context.close()
    }
  }

  const dataOf = async (page: Page): Promise<unknown> =>
    JSON.parse((await page.locator('#data').textContent()) ?? 'null') as unknown
  const cells = (page: Page, title: string) =>
    page
      .locator('section', { has: page.locator(`h2:text-is("${title}")`) })
      .locator('tbody tr')
      .evaluateAll((rows) => rows.map((row) => [...row.children].map((cell) => cell.textContent ?? '')))

  it('analyze: the chart and the tables hold the numbers of the JSON', async () => {
    const analysis = await analyzeSession(large)
    const cost = await sessionCost(large, 'default')
    await opened('analyze', analyzePage(analysis, cost), async (page) => {
      const costs = await cells(page, 'What the session cost, with and without')
      expect(costs.map(([name]) => name)).toEqual(['raw', 'default'])
      expect(costs[0]?.[1]).toBe('100')
      expect(costs[1]?.[1]).toBe(String(Math.round(1000 * (cost?.rows[1]?.costShare ?? 0)) / 10))
      await page
        .locator('section', { has: page.locator('h2:text-is("What the context holds, by tool")') })
        .locator('a')
        .first()
        .click()
      expect(page.url()).toMatch(/#piece-\d+$/)
      const tool = await page.locator(':target td').nth(1).textContent()
      expect(Object.keys(analysis.tokens.byTool)).toContain(tool)
      expect(await dataOf(page)).toEqual(JSON.parse(JSON.stringify(analysis)))
      await expect.poll(() => page.locator('canvas').count()).toBe(1)
      const kinds = Object.fromEntries(
        (await cells(page, 'What the context holds, by kind')).map(([kind, sum]) => [kind, sum]),
      )
      for (const [kind, sum] of Object.entries(analysis.tokens.byKind)) {
        if (sum > 0) expect(kinds[kind]).toBe(sum.toLocaleString('en-US'))
      }
      await page.keyboard.press('Tab')
      expect(await page.locator(':focus').count()).toBe(1)
      await page.locator('summary').first().press('Enter')
      expect(await page.locator('details').first().getAttribute('open')).not.toBeNull()
    })
  }, 60_000)

  it('compact: every change with its sum and what brings it back, reached from its rule', async () => {
    const report = await compactSession(large, { target: { kind: 'nowhere' } })
    await opened('compact', compactPage(report), async (page) => {
      expect(await dataOf(page)).toEqual(JSON.parse(JSON.stringify(report)))
      const changes = await cells(page, 'Every change, with what brings it back')
      expect(changes).toHaveLength(report.edits.length)
      const references = report.edits.flatMap((edit) => edit.references)
      expect(references.length).toBeGreaterThan(0)
      for (const reference of references.slice(0, 20)) {
        expect(changes.some((row) => row.at(-1)?.includes(`spillway recall ${reference}`))).toBe(true)
      }
      await page
        .locator('section', { has: page.locator('h2:text-is("By rule")') })
        .locator('a')
        .first()
        .click()
      expect(page.url()).toMatch(/#edit-\d+$/)
    })
  }, 60_000)

  it('replay: one row a strategy, charts with the calls at which something left', async () => {
    const recordings = [recordingIn(large)]
    const choice = pricesFor(recordings[0]?.transcript.model)
    const window = windowOf(recordings[0]?.transcript.model)
    const { rows, runs } = compare(recordings, STRATEGIES, { prices: choice.prices, window })
    const sessions = recordings.map(({ name, calls }) => ({ file: basename(name), turns: calls.length }))
    const document = { sessions, prices: { basis: choice.basis }, window, strategies: rows }
    await opened('replay', replayPage({ ...document, recordings, runs }), async (page) => {
      expect(await dataOf(page)).toEqual(JSON.parse(JSON.stringify(document)))
      await expect.poll(() => page.locator('canvas').count()).toBe(2)
      const table = await cells(page, 'Strategies')
      expect(table.map(([name]) => name)).toEqual(rows.map(({ name }) => name))
      expect(table.map((row) => Number(row[2]))).toEqual(rows.map((row) => Math.round(1000 * row.costShare) / 10))
    })
  }, 60_000)

  it('tasks: a bar a task that leads to its row, with its state in words', async () => {
    const file = join(folder, 'run.jsonl')
    writeFileSync(file, delegatedRun(30, { open: 2 }))
    const report = await sessionTasks(file)
    await opened('tasks', tasksPage(report), async (page) => {
      expect(await dataOf(page)).toEqual(JSON.parse(JSON.stringify(report)))
      const bars = page.locator('.timeline a')
      expect(await bars.locator('.state').allTextContents()).toEqual(report.tasks.map(({ state }) => state))
      const widths = await page
        .locator('.bar')
        .evaluateAll((all) => all.map((bar) => bar.getBoundingClientRect().width))
      expect(Math.min(...widths)).toBeGreaterThan(0)
      const rows = await cells(page, 'Every task')
      expect(rows.map(([name]) => name)).toEqual(report.tasks.map(({ name }) => name))
      expect(rows.map((row) => row[5])).toEqual(report.tasks.map(({ tokens }) => String(tokens.record ?? '')))
      const place = report.tasks.findIndex(({ state }) => state === 'running')
      await bars.nth(place).focus()
      await page.keyboard.press('Enter')
      expect(page.url()).toMatch(new RegExp(`#task-${place}$`))
      expect(await page.locator(':target td').first().textContent()).toBe('running')
    })
  }, 60_000)
})

describe('pages', () => {
  it('no text of a session ends the script it stands in', async () => {
    const analysis = await analyzeSession(example)
    const html = analyzePage({ ...analysis, file: '</script><script>alert(1)</script>' })
    expect(html).not.toContain('<script>alert(1)')
  })

  it('no name of a task ends the attribute it stands in', () => {
    const times = { spawnedAt: null, completedAt: null, durationMs: null }
    const name = '"><img src=x onerror=alert(1)>'
    const task = {
      id: '1',
      name,
      state: 'running',
      ...times,
      tokens: { before: 1, record: null },
      files: [],
      record: null,
    } as const
    const html = tasksPage({ file: 'x', tasks: [task], mainThread: { before: 1, after: 1 } })
    expect(html.replace(/<script type="application\/json".*<\/script>/g, '')).not.toContain('<img')
  })
})
