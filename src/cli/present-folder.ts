/** The folder in which the program was started, which may have been removed since. */
import { SpillwayError } from '../core/errors.ts'

/** @throws SpillwayError `not-found` */
export function presentFolder(): string {
  try {
    return process.cwd()
  } catch (cause) {
    throw new SpillwayError('not-found', 'the present folder does not exist any more; change to another one', { cause })
  }
}
