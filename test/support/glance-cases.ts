import { readFileSync } from 'node:fs'

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
