/** The Claude Agent SDK is an optional peer: it is loaded when the first agent runs, and its absence is said in one line. */
import { SpillwayError } from '../../core/errors.ts'

export type AgentSdk = Pick<typeof import('@anthropic-ai/claude-agent-sdk'), 'query' | 'foldSessionSummary'>

const PACKAGE = '@anthropic-ai/claude-agent-sdk'
export const HOW_TO_GET_SDK = `running agents needs the Claude Agent SDK: npm install ${PACKAGE}`

/** @throws SpillwayError `unavailable` where it is not installed */
export async function loadSdk(): Promise<AgentSdk> {
  try {
    return await import('@anthropic-ai/claude-agent-sdk')
  } catch (cause) {
    if (!isAbsent(cause)) throw cause
    throw new SpillwayError('unavailable', HOW_TO_GET_SDK, { cause })
  }
}

/** The package itself is missing; a fault inside it is another matter. */
function isAbsent(error: unknown): boolean {
  const code = error instanceof Error && 'code' in error ? error.code : undefined
  return code === 'ERR_MODULE_NOT_FOUND' && error instanceof Error && error.message.includes(PACKAGE)
}
