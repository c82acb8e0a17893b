/** How many of a session's commands only look, and what their results weigh. */
import { commandOf, onlyLooks } from '../core/rules/glances.ts'
import { exchangesOf, type Transcript } from '../core/transcript.ts'

export interface GlanceShare {
  readonly commands: number
  readonly glances: number
  /** 0 to 1. */
  readonly share: number
  /** Of the glances' results. */
  readonly tokens: number
}

/** In estimated tokens, not calibrated. */
export function glanceShare(transcript: Transcript): GlanceShare {
  let [commands, glances, tokens] = [0, 0, 0]
  for (const { call, result } of exchangesOf(transcript)) {
    if (commandOf(call, transcript.tools) === undefined) continue
    commands++
    if (!onlyLooks(call, transcript.tools)) continue
    glances++
    tokens += result?.tokens ?? 0
  }
  return { commands, glances, share: commands === 0 ? 0 : glances / commands, tokens }
}
