import type { Transcript } from '../core/transcript.ts'
import { readSession } from '../sessions/read.ts'
import { openSource } from '../sessions/source.ts'
import { withProgress } from './terminal.ts'

/** Every call of a session's main thread, across its compactions: what a replay needs. */
export async function historyOf(file: string): Promise<Transcript> {
  const source = await openSource(file)
  const reading = await withProgress('reading', source.state?.size ?? 0, (onBytes) => readSession(source, {}, onBytes))
  return reading.session.facts.compactions > 0 ? reading.history().main : reading.session.main
}
