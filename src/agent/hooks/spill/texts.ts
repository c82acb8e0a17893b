/** What the model reads about spilled content; each can be replaced by option. No age, clock or counter in them. */

export interface SpillTexts {
  readonly first: (characters: number) => string
  readonly last: (characters: number) => string
  /** Behind the output of a failed command, which no hook can replace. */
  readonly failure: (pointer: string) => string
  /** Closes the output of a failed command that was run by the wrapper. */
  readonly exitCode: string
}

export const SPILL_TEXTS: SpillTexts = {
  first: (characters) => `First ${characters} characters:`,
  last: (characters) => `Last ${characters} characters:`,
  failure: (pointer) =>
    `${pointer}\nWhat the failed call printed is kept there, as far as it is shown above; where it is cut, run it again with its output in a file and read the part you need.`,
  exitCode: 'exit code',
}
