import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { CASES, noticeMissing } from './shared.ts'

/**
 * Our own labelled commands, so that the tests say something without the shared cases: one command a line, by kind;
 * a line break inside a command is written `⏎`.
 */
function commandsOf(name: string): readonly string[] {
  return readFileSync(new URL(`glance-cases/${name}`, import.meta.url), 'utf8')
    .split('\n')
    .filter((line) => line.trim() !== '')
    .map((line) => line.replaceAll('⏎', '\n'))
}

/** Commands that only look. */
export const GLANCES: readonly string[] = commandsOf('glances.txt')

/** Commands that change, run, connect, wait or show a secret. */
export const NO_GLANCES: readonly string[] = commandsOf('no-glances.txt')

export interface SharedCase {
  readonly cmd: string
  readonly glance: boolean
}

/** The labelled commands of `../shared/cases/glance`; none, with a notice, where they are not. */
export function sharedCases(name: 'real' | 'adversarial'): readonly SharedCase[] {
  const path = join(CASES, 'glance', `${name}.jsonl`)
  if (!existsSync(path)) {
    noticeMissing(`../shared/cases/glance/${name}.jsonl`)
    return []
  }
  const lines = readFileSync(path, 'utf8').trim().split('\n')
  return lines.map((line): SharedCase => JSON.parse(line))
}
