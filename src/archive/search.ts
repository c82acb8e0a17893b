/**
 * Full-text search over what was removed.
 *
 * The index only says which objects may hold the words; each candidate is then read and judged by what it really
 * says, so that a word with punctuation, case or a part of a longer word is found where it literally stands.
 */
import type { Database, SqlValue } from './database.ts'
import { type ArchivedObject, type Origin, objectReader } from './objects.ts'
import { type Fit, judge } from './scoring.ts'
import { queryTokenizer, readableText } from './words.ts'

export interface SearchQuery {
  /** Words in any order, separated by blanks; nothing in them has a special meaning. Empty: whatever fits the filters. */
  readonly words?: string
  /** Name of the tool, whatever its case. */
  readonly tool?: string
  /** Part of the path, command or pattern of the call. */
  readonly target?: string
  /** Session id, the start of one, or the session's file. */
  readonly session?: string
  /** Archived at or after, in milliseconds since the epoch. */
  readonly since?: number
  /** Archived before, in milliseconds since the epoch. */
  readonly until?: number
  readonly limit?: number
}

export interface SearchHit extends Origin {
  readonly ref: string
  /** 0 to 1: how literally the words stand there, rare words first. */
  readonly score: number
  /** One line around the first word found. */
  readonly snippet: string
  readonly bytes: number
  readonly mediaType: string
}

export const DEFAULT_SEARCH_LIMIT = 10
/** Reading stops after so many candidates that cannot be bettered; more of them would not be seen anyway. */
const ENOUGH_BEST = 100

interface Word {
  readonly literal: string
  readonly tokens: readonly string[]
  /** Objects that may hold it; undefined when the index cannot tell. */
  docs: ReadonlySet<number> | undefined
}

/** Best hits first; among equals the one archived last. */
export function searchObjects(database: Database, query: SearchQuery): SearchHit[] {
  const limit = query.limit ?? DEFAULT_SEARCH_LIMIT
  const allowed = filteredObjects(database, query)
  const literals = [...new Set((query.words ?? '').split(/\s+/).filter((word) => word !== ''))]
  const look = candidateReader(database, query, limit)
  if (literals.length === 0) return look(allowed, []).slice(0, limit).map(toHit)

  const tokens = queryTokenizer(database)
  const index = indexReader(database)
  const words: Word[] = literals.map((literal) => ({ literal, tokens: tokens(literal), docs: undefined }))
  for (const word of words) if (word.tokens.length > 0) word.docs = intersection(word.tokens.map(index.holding))
  const weights = words.map((word) => Math.log(1 + allowed.length / (1 + (word.docs?.size ?? 0))))
  const weighted = () => words.map((word, at) => ({ ...word, weight: weights[at] ?? 0 }))

  let hits = look(allowedOf(allowed, words), weighted())
  if (!hits.some((hit) => hit.fit.whole)) {
    // Perhaps a part of a longer word ("identifier" in "my_identifier2"): ask for every word that contains it.
    for (const word of words) {
      if (word.tokens.length > 0) word.docs = intersection(word.tokens.map(index.holdingPart))
    }
    hits = look(allowedOf(allowed, words), weighted())
  }
  if (hits.length === 0 && words.length > 1) {
    const any = new Set(words.flatMap((word) => [...(word.docs ?? [])]))
    hits = look(
      allowed.filter((id) => any.has(id)),
      weighted(),
    )
  }
  return hits.slice(0, limit).map(toHit)
}

/** Objects that the filters let through, newest first. */
function filteredObjects(database: Database, query: SearchQuery): number[] {
  const { where, values } = originFilter(query)
  const rows = database
    .prepare(
      `SELECT object, max(origins.put) AS newest FROM origins JOIN puts ON puts.id = origins.put
       WHERE ${where} GROUP BY object ORDER BY newest DESC, object DESC`,
    )
    .all(...values) as { object: number }[]
  return rows.map((row) => row.object)
}

function originFilter(query: SearchQuery): { where: string; values: SqlValue[] } {
  const conditions = ['1']
  const values: SqlValue[] = []
  const add = (condition: string, ...more: SqlValue[]) => {
    conditions.push(condition)
    values.push(...more)
  }
  if (query.tool !== undefined) add('lower(origins.tool) = lower(?)', query.tool)
  if (query.target !== undefined) add('instr(lower(origins.target), lower(?)) > 0', query.target)
  if (query.session !== undefined) {
    add('(substr(origins.session, 1, length(?)) = ? OR puts.source = ?)', query.session, query.session, query.session)
  }
  if (query.since !== undefined) add('puts.time >= ?', query.since)
  if (query.until !== undefined) add('puts.time < ?', query.until)
  return { where: conditions.join(' AND '), values }
}

function matchesFilter(query: SearchQuery, origin: Origin): boolean {
  const holds = (text: string, part: string) => text.toLowerCase().includes(part.toLowerCase())
  return (
    (query.tool === undefined || origin.tool.toLowerCase() === query.tool.toLowerCase()) &&
    (query.target === undefined || holds(origin.target, query.target)) &&
    (query.session === undefined || origin.session.startsWith(query.session) || origin.source === query.session) &&
    (query.since === undefined || origin.time >= query.since) &&
    (query.until === undefined || origin.time < query.until)
  )
}

function allowedOf(allowed: readonly number[], words: readonly Word[]): number[] {
  return allowed.filter((id) => words.every((word) => word.docs === undefined || word.docs.has(id)))
}

interface IndexReader {
  /** Objects that hold this word of the index, in their content or in a call's tool and target. */
  holding(token: string): Set<number>
  /** Objects that hold a word of which this is a part. */
  holdingPart(token: string): Set<number>
}

function indexReader(database: Database): IndexReader {
  // Reading the vocabulary is reading the index: a few per cent of the texts.
  database.exec(`
    CREATE VIRTUAL TABLE IF NOT EXISTS temp.content_places USING fts5vocab('main', 'content_words', 'instance');
    CREATE VIRTUAL TABLE IF NOT EXISTS temp.origin_places USING fts5vocab('main', 'origin_words', 'instance');
  `)
  const holding = database.prepare(
    `SELECT rowid AS id FROM content_words WHERE content_words MATCH ?
     UNION SELECT object FROM origins WHERE id IN (SELECT rowid FROM origin_words WHERE origin_words MATCH ?)`,
  )
  const holdingPart = database.prepare(
    `SELECT doc AS id FROM temp.content_places WHERE instr(term, ?) > 0
     UNION SELECT object FROM origins WHERE id IN (SELECT doc FROM temp.origin_places WHERE instr(term, ?) > 0)`,
  )
  const ids = (rows: unknown[]) => new Set((rows as { id: number }[]).map((row) => row.id))
  return {
    holding: (token) => {
      const quoted = `"${token.replaceAll('"', '""')}"`
      return ids(holding.all(quoted, quoted))
    },
    holdingPart: (token) => ids(holdingPart.all(token, token)),
  }
}

function intersection(sets: readonly ReadonlySet<number>[]): Set<number> {
  const [first, ...others] = sets.toSorted((one, other) => one.size - other.size)
  return new Set([...(first ?? [])].filter((id) => others.every((set) => set.has(id))))
}

interface Candidate {
  readonly object: ArchivedObject
  readonly origin: Origin
  readonly text: string
  readonly fit: Fit
}

type WeightedWord = Word & { readonly weight: number }

function candidateReader(
  database: Database,
  query: SearchQuery,
  limit: number,
): (ids: readonly number[], words: readonly WeightedWord[]) => Candidate[] {
  const read = objectReader(database)
  return (ids, words) => {
    const found: Candidate[] = []
    let best = 0
    for (const id of ids) {
      const object = read(id)
      const origin = object?.origins.find((one) => matchesFilter(query, one))
      if (!object || !origin) continue
      const content = typeof object.content === 'string' ? readableText(object.content, object.mediaType) : ''
      const text = `${content}\n${origin.tool} ${origin.target}`
      const fit = judge(text, words)
      found.push({ object, origin, text, fit })
      if (fit.apart) best++
      if (best >= Math.max(limit, ENOUGH_BEST)) break
    }
    // The ids came newest first and the sort is stable.
    return found.sort((one, other) => other.fit.score - one.fit.score)
  }
}

const SNIPPET_BEFORE = 40
const SNIPPET_CHARS = 160

function toHit({ object, origin, text, fit }: Candidate): SearchHit {
  const from = Math.max(0, fit.at - SNIPPET_BEFORE)
  const cut = text.slice(from, from + SNIPPET_CHARS).replace(/[\s\p{Cc}\p{Cs}]+/gu, ' ')
  const snippet = `${from > 0 ? '…' : ''}${cut.trim()}${from + SNIPPET_CHARS < text.length ? '…' : ''}`
  const score = Math.round(fit.score * 1000) / 1000
  return { ref: object.ref, score, snippet, bytes: object.bytes, mediaType: object.mediaType, ...origin }
}
