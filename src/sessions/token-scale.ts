/** Estimated tokens brought to the session's own model, from what its provider counted. */
import { calibrate, type PromptFit } from '../core/calibration.ts'
import type { EconomyContext } from '../core/policy.ts'
import type { Transcript } from '../core/transcript.ts'

/** A function from estimated to calibrated tokens; sessions without recorded usage keep the estimate. */
export function tokenScale(fit: PromptFit | undefined): (estimate: number) => number {
  const factor = fit !== undefined && fit.scale > 0 ? fit.scale : 1
  return (estimate) => Math.round(estimate * factor)
}

/** What a plan must know to speak of the provider's tokens. */
export function measureOf(transcript: Transcript): NonNullable<EconomyContext['measure']> {
  const calibration = calibrate(transcript)
  const scale = calibration !== undefined && calibration.fit.scale > 0 ? calibration.fit.scale : 1
  return { floor: Math.round(calibration?.floor ?? 0), scale }
}
