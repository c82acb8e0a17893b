/** The door of the shell floor: one pure function that decides what a shell command would do. */
export type { Classification, Part } from './classification.ts'
export { type ClassifyOptions, classify } from './classify.ts'
