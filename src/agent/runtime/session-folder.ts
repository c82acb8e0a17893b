/**
 * The SDK passes on to the store only what the binary writes into the folder where the SDK itself looks for sessions: it
 * follows the binary's CLAUDE_CONFIG_DIR, not its HOME. In another home nothing at all would be recorded, silently.
 */
import { homedir, userInfo } from 'node:os'
import { join } from 'node:path'

type Environment = Readonly<Record<string, string | undefined>>

/**
 * The environment in which both mean the same folder. It stays as it is wherever they do anyway: naming the folder moves
 * what Claude Code keeps beside it.
 */
export function withSessionFolder(environment: Environment): Environment {
  const home = environment.HOME || userInfo().homedir
  if (environment.CLAUDE_CONFIG_DIR !== undefined || home === homedir()) return environment
  return { ...environment, CLAUDE_CONFIG_DIR: join(home, '.claude') }
}
