import type { Family, Verb } from '../verb.ts'
import { FILES } from './files.ts'
import { GIT } from './git.ts'
import { READING } from './reading.ts'
import { REMOTE } from './remote.ts'
import { SHELL } from './shell.ts'
import { SPILLWAY } from './spillway.ts'
import { SYSTEM } from './system.ts'
import { VERSIONS } from './versions.ts'

/** Every verb that may be a glance, by family. What is not here is refused. */
export const FAMILIES: readonly Family[] = [READING, FILES, SHELL, SYSTEM, GIT, REMOTE, SPILLWAY, VERSIONS]

const BY_NAME: ReadonlyMap<string, Verb> = new Map(
  FAMILIES.flatMap((family) => family.verbs.flatMap((verb) => verb.names.map((name) => [name, verb] as const))),
)

export function verbNamed(name: string): Verb | undefined {
  return BY_NAME.get(name)
}
