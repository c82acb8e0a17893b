/** Content-addressed objects and the places they were taken from. */
import type { ContentClass, Removed } from '../core/edits.ts'
import { SpillwayError } from '../core/errors.ts'
import { decodeText, digestOf, encodeText, REFERENCE_LENGTH, referenceOfDigest } from '../core/reference.ts'
import type { Database, Statement } from './database.ts'
import { pack, unpack } from './packing.ts'
import { readableText, wordsToIndex } from './words.ts'

export interface ArchivedObject {
  readonly ref: string
  /** The whole SHA-256 in base32: what tells two contents with the same reference apart. */
  readonly name: string
  /** Texts come back as strings, everything else as bytes. */
  readonly content: string | Buffer
  readonly bytes: number
  readonly mediaType: string
  readonly class: ContentClass
  /** Newest first, never empty. */
  readonly origins: readonly Origin[]
  /** A readable copy belongs into the spill folder. */
  readonly spilled: boolean
}

/** Where a piece of content was taken from. */
export interface Origin {
  readonly session: string
  /** The session file it was read from. */
  readonly source: string
  readonly tool: string
  readonly target: string
  readonly rule: string
  /** When it was archived, in milliseconds since the epoch. */
  readonly time: number
}

/** The weakest claim first: content that someone may want back keeps the stronger class. */
const CLASSES: readonly ContentClass[] = ['worthless', 'rerunnable', 'restorable']

export interface PutCounts {
  /** Objects that were not in the archive before, and the compressed bytes they take. */
  objects: number
  bytes: number
}

/** Stores what a batch removed, inside the caller's transaction. */
export function objectWriter(database: Database, put: number, session: string): (removed: Removed) => PutCounts {
  const known = database.prepare('SELECT id, class FROM objects WHERE sha256 = ?')
  const touch = database.prepare('UPDATE objects SET put = ?, class = ? WHERE id = ?')
  const insert = database.prepare(
    `INSERT INTO objects(ref, sha256, put, kind, media_type, class, bytes, packing, stored, body)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  )
  const index = database.prepare('INSERT INTO content_words(rowid, words) VALUES (?, ?)')
  const origin = originWriter(database, put, session)

  return (removed) => {
    const bytes = typeof removed.content === 'string' ? encodeText(removed.content) : removed.content
    const digest = digestOf(bytes)
    const ref = referenceOfDigest(digest)
    if (ref !== removed.ref) {
      const message = `reference ${removed.ref} does not name its content (${ref} does); nothing was archived`
      throw new SpillwayError('conflict', message)
    }
    const found = known.get(digest) as { id: number; class: ContentClass } | undefined
    if (found) {
      touch.run(put, stronger(found.class, removed.class), found.id)
      origin(found.id, removed)
      return { objects: 0, bytes: 0 }
    }
    const { packing, body } = pack(bytes)
    const kind = typeof removed.content === 'string' ? 'text' : 'bytes'
    const values = [ref, digest, put, kind, removed.mediaType, removed.class, bytes.length, packing, body.length, body]
    const id = Number(insert.run(...values).lastInsertRowid)
    if (typeof removed.content === 'string') {
      index.run(id, wordsToIndex(readableText(removed.content, removed.mediaType)))
    }
    origin(id, removed)
    return { objects: 1, bytes: body.length }
  }
}

function originWriter(database: Database, put: number, session: string): (object: number, removed: Removed) => void {
  const known = database.prepare('SELECT id FROM origins WHERE object = ? AND session = ? AND tool = ? AND target = ?')
  const touch = database.prepare('UPDATE origins SET put = ?, rule = ? WHERE id = ?')
  const insert = database.prepare(
    'INSERT INTO origins(object, put, session, tool, target, rule) VALUES (?, ?, ?, ?, ?, ?)',
  )
  const index = database.prepare('INSERT INTO origin_words(rowid, words) VALUES (?, ?)')
  return (object, removed) => {
    const tool = removed.tool ?? ''
    const target = removed.target ?? ''
    const found = known.get(object, session, tool, target) as { id: number } | undefined
    if (found) {
      touch.run(put, removed.rule, found.id)
      return
    }
    const id = Number(insert.run(object, put, session, tool, target, removed.rule).lastInsertRowid)
    index.run(id, wordsToIndex(`${tool} ${target}`))
  }
}

function stronger(one: ContentClass, other: ContentClass): ContentClass {
  return CLASSES.indexOf(one) > CLASSES.indexOf(other) ? one : other
}

interface ObjectRow {
  readonly id: number
  readonly ref: string
  readonly sha256: Uint8Array
  readonly kind: 'text' | 'bytes'
  readonly media_type: string
  readonly class: ContentClass
  readonly bytes: number
  readonly spilled: number
  readonly packing: string
  readonly body: Uint8Array
}

/** Reads objects by their row id; two prepared statements serve any number of them. */
export function objectReader(database: Database): (id: number) => ArchivedObject | undefined {
  const select = database.prepare(
    'SELECT id, ref, sha256, kind, media_type, class, bytes, spilled, packing, body FROM objects WHERE id = ?',
  )
  const origins = originReader(database)
  return (id) => {
    const row = select.get(id) as ObjectRow | undefined
    return row && { ...contentOf(row), origins: origins(id) }
  }
}

/**
 * The row that a reference names: 12 characters, or more of the 52 where two contents share those.
 * @throws SpillwayError `conflict` when the reference names several contents
 */
export function objectId(database: Database, ref: string): number | undefined {
  const rows = database.prepare('SELECT id, sha256 FROM objects WHERE ref = ?').all(ref.slice(0, REFERENCE_LENGTH)) as {
    id: number
    sha256: Uint8Array
  }[]
  const named = rows.map((row) => ({ id: row.id, name: nameOf(row.sha256) })).filter((row) => row.name.startsWith(ref))
  if (named.length > 1) {
    const names = named.map((row) => row.name).join(' or ')
    throw new SpillwayError('conflict', `${ref} names ${named.length} different contents; ask for ${names}`)
  }
  return named[0]?.id
}

function originReader(database: Database): (object: number) => Origin[] {
  const select: Statement = database.prepare(
    `SELECT origins.session, puts.source, origins.tool, origins.target, origins.rule, puts.time
     FROM origins JOIN puts ON puts.id = origins.put WHERE object = ? ORDER BY origins.put DESC, origins.id DESC`,
  )
  return (object) => select.all(object) as Origin[]
}

function contentOf(row: ObjectRow): Omit<ArchivedObject, 'origins'> {
  let content: Buffer
  try {
    content = unpack(row, row.bytes)
  } catch (cause) {
    throw new SpillwayError('unreadable', `${row.ref}: the archived content is damaged`, { cause })
  }
  if (!digestOf(content).equals(row.sha256)) {
    throw new SpillwayError('unreadable', `${row.ref}: the archived content is not what was stored; its hash differs`)
  }
  return {
    ref: row.ref,
    name: nameOf(row.sha256),
    content: row.kind === 'text' ? decodeText(content) : content,
    bytes: row.bytes,
    mediaType: row.media_type,
    class: row.class,
    spilled: row.spilled === 1,
  }
}

/** 256 bits are 52 base32 characters. */
const WHOLE_NAME = 52

function nameOf(sha256: Uint8Array): string {
  return referenceOfDigest(sha256, WHOLE_NAME)
}
