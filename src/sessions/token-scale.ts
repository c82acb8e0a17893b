/** Estimated tokens brought to the session's own model, from what its provider counted. */
import type { Calibration } from '../core/calibration.ts'

/** A function from estimated to calibrated tokens; sessions without recorded usage keep the estimate. */
export function tokenScale(calibration: Calibration | undefined): (estimate: number) => number {
  const factor = calibration !== undefined && calibration.fit.scale > 0 ? calibration.fit.scale : 1
  return (estimate) => Math.round(estimate * factor)
}
