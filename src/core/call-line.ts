/**
 * The one line that an old exchange becomes (DESIGN, call line): `[call <ref>: <Tool> <target>]`, `[failed call …]`
 * where it failed. The reference is that of the result, so `recall` brings back what the call found.
 */
import { elide } from './pointer.ts'
import { REFERENCE_LENGTH } from './reference.ts'

const MOST_TARGET_CHARS = 40
const MOST_TOOL_CHARS = 30
const CALL_LINE = new RegExp(`^\\[(?:failed )?call [a-z2-7]{${REFERENCE_LENGTH}}: [^\\n]{0,200}\\]$`)

export interface CallLineFacts {
  readonly ref: string
  readonly tool: string
  readonly target?: string
  readonly failed: boolean
}

export function callLine({ ref, tool, target, failed }: CallLineFacts): string {
  const about = target === undefined ? '' : ` ${elide(target, MOST_TARGET_CHARS)}`
  return `[${failed ? 'failed ' : ''}call ${ref}: ${elide(tool, MOST_TOOL_CHARS)}${about}]`
}

export function isCallLine(text: string): boolean {
  return text.length <= 250 && CALL_LINE.test(text)
}
