/** Estimated tokens brought to the session's own model, from what its provider counted. */
import type { PromptFit } from '../core/calibration.ts'

/** A function from estimated to calibrated tokens; sessions without recorded usage keep the estimate. */
export function tokenScale(fit: PromptFit | undefined): (estimate: number) => number {
  const factor = fit !== undefined && fit.scale > 0 ? fit.scale : 1
  return (estimate) => Math.round(estimate * factor)
}
