/** How long to wait before trying again, and how often (seed: 6 attempts, 4 s doubling to 120 s, a quarter either way). */
export const DEFAULT_ATTEMPTS = 6
export const DEFAULT_BASE_MS = 4000
export const DEFAULT_CAP_MS = 120_000
export const DEFAULT_JITTER = 0.25

export interface BackoffOptions {
  /** Tries without progress before an error is final. */
  readonly attempts: number
  /** Before the first retry; doubles with each. */
  readonly baseMs: number
  readonly capMs: number
  /** Share by which a delay is shortened or lengthened at random: many clients must not come back together. */
  readonly jitter: number
}

export const DEFAULT_BACKOFF: BackoffOptions = {
  attempts: DEFAULT_ATTEMPTS,
  baseMs: DEFAULT_BASE_MS,
  capMs: DEFAULT_CAP_MS,
  jitter: DEFAULT_JITTER,
}

/**
 * Milliseconds to wait before a retry.
 * @param retry 0 for the first
 * @param random from 0 to 1
 */
export function delayBefore(retry: number, random: number, options: BackoffOptions = DEFAULT_BACKOFF): number {
  const whole = Math.min(options.capMs, options.baseMs * 2 ** Math.min(retry, 64))
  return Math.round(whole * (1 + options.jitter * (2 * random - 1)))
}
