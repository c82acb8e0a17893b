/** How much a prompt may hold (DESIGN, Limit), and how to count it in the provider's tokens. */
import { calibrate } from '../core/calibration.ts'
import { windowOf } from '../core/models.ts'
import type { EconomyContext } from '../core/policy.ts'
import type { Transcript, Usage } from '../core/transcript.ts'
import { RESERVE_TOKENS } from './decide.ts'

/** The window of the long-context models, assumed once a request has shown that the usual one does not bind. */
const LONG_WINDOW = 1_000_000

/** The prompt's limit in tokens: the window of the model that will read it, less a reserve. */
export function promptLimit(model: string | undefined, requests: readonly { readonly usage: Usage }[]): number {
  const window = windowOf(model)
  const isLong = requests.some(({ usage }) => usage.input + usage.cacheRead + usage.cacheWrite > window)
  return (isLong ? Math.max(window, LONG_WINDOW) : window) - RESERVE_TOKENS
}

/** What a plan must know to speak of the provider's tokens. */
export function measureOf(transcript: Transcript): NonNullable<EconomyContext['measure']> {
  const calibration = calibrate(transcript)
  const scale = calibration !== undefined && calibration.fit.scale > 0 ? calibration.fit.scale : 1
  return { floor: Math.round(calibration?.floor ?? 0), scale }
}
