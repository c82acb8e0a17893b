/** The agent skills that ship with this package, and the list of their SHA-256 beside them (seed C10). */
import { createHash } from 'node:crypto'
import { existsSync, readdirSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { SpillwayError } from '../core/errors.ts'
import { readPlainFile } from '../sessions/plain-file.ts'
import { errorCode } from '../sessions/source.ts'

const CARD = 'SKILL.md'
/** In the form of `sha256sum`. */
const SUMS = 'SHA256SUMS'
const PREFIX = 'spillway-'

export interface PublishedSkill {
  readonly name: string
  /** When an agent should think of it. */
  readonly description: string
  readonly file: string
  readonly sha256: string
}

/** `unlisted`: a skill with our name that was never published. */
export type SkillState = 'ok' | 'changed' | 'missing' | 'unlisted'

export interface VerifiedSkill {
  readonly name: string
  readonly file: string
  readonly state: SkillState
}

/** The folder of skills of the package this program is part of. @throws SpillwayError `not-found` */
export function skillsFolder(): string {
  for (let folder = dirname(fileURLToPath(import.meta.url)); ; folder = dirname(folder)) {
    if (existsSync(join(folder, 'skills', SUMS))) return join(folder, 'skills')
    if (folder === dirname(folder)) throw new SpillwayError('not-found', 'this installation has no skills folder')
  }
}

/** @throws SpillwayError `unreadable` */
export function publishedSkills(folder: string): PublishedSkill[] {
  return [...publishedSums(folder)].map(([name, sha256]) => {
    const file = join(folder, name, CARD)
    const description = /^description: (.*)$/m.exec(contentOf(file)?.toString() ?? '')?.[1] ?? ''
    return { name, description, file, sha256 }
  })
}

/**
 * Compares skills with their published sums.
 * @param published the package's folder
 * @param installed where they are looked for; there, a skill that was not installed is not missing
 */
export function verifySkills(published: string, installed: string = published): VerifiedSkill[] {
  const sums = publishedSums(published)
  const listed = [...sums].map(([name, sha256]): VerifiedSkill => {
    const file = join(installed, name, CARD)
    const content = contentOf(file)
    const state = content === undefined ? 'missing' : sha256Of(content) === sha256 ? 'ok' : 'changed'
    return { name, file, state }
  })
  const others = namesIn(installed).filter((name) => name.startsWith(PREFIX) && !sums.has(name))
  const unlisted = others.map((name): VerifiedSkill => ({ name, file: join(installed, name, CARD), state: 'unlisted' }))
  return [...listed.filter(({ state }) => installed === published || state !== 'missing'), ...unlisted]
}

function publishedSums(folder: string): Map<string, string> {
  const file = join(folder, SUMS)
  const lines = (contentOf(file)?.toString() ?? '').split('\n').filter((line) => line !== '')
  const sums = new Map<string, string>()
  for (const [index, line] of lines.entries()) {
    const [, sha256, name] = /^([0-9a-f]{64}) [ *]([\w-]+)\/SKILL\.md$/.exec(line) ?? []
    if (sha256 === undefined || name === undefined) {
      throw new SpillwayError('unreadable', `${file}:${index + 1}: expected a SHA-256 and <name>/${CARD}`)
    }
    sums.set(name, sha256)
  }
  return sums
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => (entry.isDirectory() ? [entry.name] : []))
  } catch (cause) {
    throw new SpillwayError('not-found', `${folder}: no such folder`, { cause })
  }
}

function contentOf(file: string): Buffer | undefined {
  try {
    return readPlainFile(file)
  } catch (cause) {
    if (cause instanceof SpillwayError) throw cause
    if (errorCode(cause) === 'ENOENT') return undefined
    throw new SpillwayError('unreadable', `${file}: cannot be read`, { cause })
  }
}

function sha256Of(content: Buffer): string {
  return createHash('sha256').update(content).digest('hex')
}
