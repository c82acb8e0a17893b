/**
 * Where the archive is: `--archive` > `SPILLWAY_ARCHIVE` > the nearest `.spillway/` above the session's working
 * folder > the user's data folder. A `.spillway/` is used where a person made one and never created here.
 */
import { existsSync, lstatSync, realpathSync } from 'node:fs'
import { homedir } from 'node:os'
import { dirname, isAbsolute, join, resolve } from 'node:path'

export const ARCHIVE_FILE = 'archive.sqlite'
/** A person's folder in a project; Spillway writes into it and never makes it. */
export const PROJECT_FOLDER = '.spillway'

export interface ArchivePlace {
  /** `--archive`. */
  readonly asked?: string
  /** The working folder that the session recorded. */
  readonly workingFolder?: string
  /** `process.env`, or what a test puts in its place. */
  readonly environment: Readonly<Record<string, string | undefined>>
  readonly platform?: NodeJS.Platform
  /** The user who must own a project's folder. */
  readonly user?: number
}

/** The folder in which this session's archive is or will be. */
export function archiveFolder(place: ArchivePlace): string {
  const named = namedFolder(place)
  if (named !== undefined) return named
  const folder = place.workingFolder === undefined ? undefined : projectFolder(place.workingFolder, place.user)
  return folder ?? dataFolder(place)
}

/** Every place where content of this user's sessions may be archived, the likeliest first; only what exists. */
export function allArchives(place: ArchivePlace): string[] {
  if (place.asked !== undefined) return [resolve(place.asked)].filter(holdsArchive)
  const { asked: _, ...unasked } = place
  const folders = [archiveFolder(unasked)]
  const project = place.workingFolder === undefined ? undefined : projectFolder(place.workingFolder, place.user)
  if (project !== undefined) folders.push(project)
  folders.push(dataFolder(place))
  const seen = new Set<string>()
  return folders.filter((folder) => {
    if (!holdsArchive(folder)) return false
    const real = realpathSync(folder)
    return !seen.has(real) && seen.add(real)
  })
}

function holdsArchive(folder: string): boolean {
  return existsSync(join(folder, ARCHIVE_FILE))
}

function namedFolder(place: ArchivePlace): string | undefined {
  const named = place.asked ?? place.environment.SPILLWAY_ARCHIVE
  return named === undefined || named === '' ? undefined : resolve(named)
}

/** The nearest one decides: where it is a link or another user's, none is used (it may be bait). */
function projectFolder(workingFolder: string, user = process.geteuid?.()): string | undefined {
  if (!isAbsolute(workingFolder)) return undefined
  for (let folder = workingFolder; ; folder = dirname(folder)) {
    const candidate = join(folder, PROJECT_FOLDER)
    const state = statOf(candidate)
    if (state) return state.isDirectory() && state.uid === user ? candidate : undefined
    if (dirname(folder) === folder) return undefined
  }
}

function statOf(path: string) {
  try {
    return lstatSync(path, { throwIfNoEntry: false })
  } catch {
    // A recorded folder need not be readable, nor be on this machine.
    return undefined
  }
}

function dataFolder({ environment, platform = process.platform }: ArchivePlace): string {
  const home = environment.HOME || homedir()
  if (platform === 'darwin') return join(home, 'Library', 'Application Support', 'spillway')
  const data = environment.XDG_DATA_HOME
  // The XDG specification: a path that is not absolute is to be ignored.
  return join(data !== undefined && isAbsolute(data) ? data : join(home, '.local', 'share'), 'spillway')
}
