/** What `doctor` is asked and what it answers, the same for session files and request files. */
import type { Severity } from '../core/legality/index.ts'
import type { ReportedRepair } from './compact-report.ts'

export interface DoctorOptions {
  /** Write the repaired session or request to this new file. */
  readonly fix?: string
  /** The model that will read the result (message-rules A36). Default: the input's own. */
  readonly model?: string
  readonly archive?: string
  readonly onBytes?: (bytes: number) => void
}

/** The JSON contract of `doctor`. */
export interface DoctorReport {
  readonly file: string
  readonly format: string
  readonly violations: readonly ReportedViolation[]
  /** What `--fix` does, or did. */
  readonly repairs: readonly ReportedRepair[]
  /** The repaired file. */
  readonly out: string | null
  /** Violations of the repaired file; null where none was written. */
  readonly remaining: readonly ReportedViolation[] | null
}

export interface ReportedViolation {
  readonly rule: string
  readonly severity: Severity
  /** 1-based; null in a request, which has no lines of its own. */
  readonly line: number | null
  /** The id it is about; in a request without one, the place (`messages.3`). */
  readonly id: string | null
  readonly message: string
}

/** Is there anything that the provider or loader refuses, after the repair where there was one? */
export function isSick(report: DoctorReport): boolean {
  return (report.remaining ?? report.violations).some((violation) => violation.severity === 'reject')
}
