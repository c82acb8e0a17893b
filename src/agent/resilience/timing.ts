/** Clock, waiting and chance, passed in: tests decide what time it is and how long a minute takes. */
import { setTimeout as sleep } from 'node:timers/promises'

export interface Timing {
  /** Milliseconds since the epoch. */
  now(): number
  /** Ends early, without an error, when the signal fires. */
  wait(milliseconds: number, signal?: AbortSignal): Promise<void>
  /** From 0 up to, not including, 1. */
  random(): number
}

export const REAL_TIMING: Timing = {
  now: Date.now,
  random: Math.random,
  async wait(milliseconds, signal) {
    try {
      await sleep(milliseconds, undefined, signal ? { signal } : {})
    } catch (error) {
      if (signal?.aborted !== true) throw error
    }
  },
}
