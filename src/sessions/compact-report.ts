/** What one compaction did, as plain data: the JSON contract of `compact`. */
import { fitPrompt, promptPoints } from '../core/calibration.ts'
import type { Economized, Outcome } from '../core/economy.ts'
import type { Violation } from '../core/legality/index.ts'
import type { Shortfall } from '../core/policy.ts'
import type { ArchiveReceipt } from './archive-rewriting.ts'
import type { ChosenPolicy } from './policy.ts'
import { lineFinder, rejections } from './proof.ts'
import type { Reading } from './read.ts'
import type { SummaryOutcome } from './task-summaries.ts'
import { tokenScale } from './token-scale.ts'

export interface CompactReport {
  readonly file: string
  /** Null for a dry run. */
  readonly out: string | null
  readonly format: string
  readonly outcome: Outcome
  readonly preset: string
  /** The plan's own lines: what rewriting costs, and when it pays back. */
  readonly plan: readonly string[]
  /** What the sum rests on. */
  readonly prices: string
  /** Why it cannot fit, with the numbers; null where it does. */
  readonly shortfall: Shortfall | null
  /** Of the view, calibrated to the session's recorded usage. */
  readonly tokens: {
    readonly before: number
    readonly after: number
    readonly saved: number
    /** 0 to 1. */
    readonly savedShare: number
  }
  /** Decompressed. */
  readonly bytes: { readonly before: number; readonly after: number }
  readonly byRule: Readonly<Record<string, { readonly edits: number; readonly tokens: number }>>
  readonly repairs: readonly ReportedRepair[]
  /** Null where nothing was written. */
  readonly archive: ArchiveReceipt | null
  /** What the provider or loader would refuse. */
  readonly violations: { readonly before: number; readonly after: number }
  /** What they accept although it is harmful or not confirmed. */
  readonly warnings: { readonly before: number; readonly after: number }
  /** One entry an edit, in order. */
  readonly edits: readonly ReportedEdit[]
  /** Who wrote the record of each task that folded; only where a summariser was asked. */
  readonly summaries?: readonly SummaryOutcome[]
  /** Of a fork. */
  readonly id?: string
  readonly resume?: string
  /** Of an in-place compaction. */
  readonly backup?: string
}

export interface ReportedRepair {
  readonly rule: string
  /** 1-based line of the input. */
  readonly line: number | null
  readonly what: string
}

export interface ReportedEdit extends ReportedRepair {
  readonly tokens: number
  /** What `recall` brings its content back by. */
  readonly references: readonly string[]
}

export interface CompactFacts {
  readonly file: string
  readonly reading: Reading
  readonly economized: Economized
  readonly chosen: ChosenPolicy
  readonly before: readonly Violation[]
  /** Default: as before (nothing was changed). */
  readonly after?: readonly Violation[]
  readonly out?: string
  /** Decompressed bytes of the output. Default: as the input. */
  readonly written?: number
  readonly archive?: ArchiveReceipt
  readonly backup?: string
  readonly summaries?: readonly SummaryOutcome[]
}

export function compactReport(facts: CompactFacts): CompactReport {
  const { reading, economized, before } = facts
  const after = facts.after ?? before
  const scale = tokenScale(fitPrompt(promptPoints(reading.session.main)))
  const tokens = { before: scale(economized.report.tokens.before), after: scale(economized.report.tokens.after) }
  const lineOf = lineFinder(reading.session.main)
  const saved = tokens.before - tokens.after
  const byRule = Object.entries(economized.report.byRule).map(([rule, sum]) => [
    rule,
    { edits: sum.edits, tokens: scale(sum.tokens) },
  ])
  return {
    file: facts.file,
    out: facts.out ?? null,
    format: reading.session.facts.format,
    outcome: economized.outcome,
    preset: facts.chosen.preset,
    plan: economized.plan.explanation ?? [],
    prices: facts.chosen.prices.basis,
    shortfall: economized.plan.shortfall ?? null,
    tokens: { ...tokens, saved, savedShare: tokens.before === 0 ? 0 : saved / tokens.before },
    bytes: { before: reading.bytes, after: facts.written ?? reading.bytes },
    byRule: Object.fromEntries(byRule),
    repairs: reportedRepairs(reading, economized),
    archive: facts.archive ?? null,
    violations: { before: rejections(before).length, after: rejections(after).length },
    warnings: { before: before.length - rejections(before).length, after: after.length - rejections(after).length },
    edits: economized.edits.map((edit) => ({
      rule: edit.rule,
      line: lineOf(edit.at) ?? null,
      what: edit.reason,
      tokens: scale(edit.frees),
      references: edit.removed.map((removed) => removed.ref),
    })),
    ...(facts.summaries ? { summaries: facts.summaries } : {}),
    ...(facts.backup === undefined ? {} : { backup: facts.backup }),
  }
}

export function reportedRepairs(reading: Reading, economized: Economized): ReportedRepair[] {
  const lineOf = lineFinder(reading.session.main)
  return economized.report.repairs.map(({ rule, what, entry }) => ({
    rule,
    line: lineOf({ thread: reading.session.main.thread, entry }) ?? null,
    what,
  }))
}
