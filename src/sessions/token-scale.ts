/** Estimated tokens brought to the session's own model, from what its provider counted. */
import { calibrate } from '../core/calibration.ts'
import type { Session } from '../formats/format.ts'

/** A function from estimated to calibrated tokens; sessions without recorded usage keep the estimate. */
export function tokenScale(session: Session): (estimate: number) => number {
  const scale = calibrate(session.main)?.scale
  const factor = scale !== undefined && scale > 0 ? scale : 1
  return (estimate) => Math.round(estimate * factor)
}
