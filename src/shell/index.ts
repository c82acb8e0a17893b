/** The door of the shell floor: one pure function that decides what a shell command would do. */
export type { Classification } from './classification.ts'
export { classify } from './classify.ts'
export { literalCommands } from './literal-commands.ts'
