/**
 * Sessions of any size: one recorded session told again and again, each round with its own ids and chained to the
 * round before. Content repeats, structure does not.
 */
import { closeSync, openSync, readFileSync, writeSync } from 'node:fs'
import { gunzipSync } from 'node:zlib'

const UUID = /"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}"/g
const PROVIDER_ID = /"(?:toolu|msg|req)_[A-Za-z0-9]+"/g

/** Writes rounds of `recorded` (a Claude Code session, plain or gzip) until the file holds at least `bytes`; returns its size. */
export function writeLongSession(file: string, recorded: string, bytes: number): number {
  const raw = readFileSync(recorded)
  const text = (raw[0] === 0x1f && raw[1] === 0x8b ? gunzipSync(raw) : raw).toString('utf8')
  const lines = text.split('\n').filter((line) => line !== '')
  const sessionId = /"sessionId":("[^"]+")/.exec(text)?.[1] ?? '""'
  const lastKey = lines.map((line) => /"uuid":("[^"]+")/.exec(line)?.[1]).findLast((key) => key !== undefined)
  const descriptor = openSync(file, 'w')
  let written = 0
  try {
    for (let round = 0; written < bytes; round++) {
      const rename = (id: string): string => (id === sessionId ? id : numbered(id, round))
      const before = round === 0 || lastKey === undefined ? 'null' : numbered(lastKey, round - 1)
      const told = lines.map((line) =>
        line.replace(UUID, rename).replace(PROVIDER_ID, rename).replace('"parentUuid":null', `"parentUuid":${before}`),
      )
      written += writeSync(descriptor, `${told.join('\n')}\n`)
    }
  } finally {
    closeSync(descriptor)
  }
  return written
}

/** The quoted id with its last four characters taken by the round's number. */
function numbered(id: string, round: number): string {
  return `${id.slice(0, -5)}${round.toString(16).padStart(4, '0')}"`
}
