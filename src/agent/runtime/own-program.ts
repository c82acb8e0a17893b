/**
 * The pointers that agents read say `spillway recall …`: inside a run that works wherever the package is installed,
 * without anything on the machine's own path, and in the run's own archive.
 */
import { existsSync, mkdirSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { replaceFile } from '../lineage/shared-json.ts'

const FOLDER = 'bin'
const PROGRAM = 'spillway'
/** Beside this file as it was built, or as it is written. */
const MAIN = ['js', 'ts'].map((ending) => fileURLToPath(new URL(`../../cli/main.${ending}`, import.meta.url)))

type Environment = Readonly<Record<string, string | undefined>>

/** The environment in which `spillway` is this package's program and finds this archive. */
export function withOwnProgram(environment: Environment, runDirectory: string, archive: string): Environment {
  const main = MAIN.find(existsSync)
  if (main === undefined) return environment
  const folder = join(runDirectory, FOLDER)
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  // The loader that runs this process from its sources, where one does; a debugger belongs to one process only.
  const given = process.execArgv.filter((word) => !word.startsWith('--inspect'))
  const words = [process.execPath, ...given, main].map(quoted).join(' ')
  replaceFile(join(folder, PROGRAM), `#!/bin/sh\nexec ${words} "$@"\n`, 0o700)
  const path = [folder, ...(environment.PATH ? [environment.PATH] : [])].join(delimiter)
  return { ...environment, PATH: path, SPILLWAY_ARCHIVE: archive }
}

function quoted(word: string): string {
  return `'${word.replaceAll("'", "'\\''")}'`
}
