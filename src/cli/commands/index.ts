/** The commands; each is loaded only when it runs (or when the help of all is shown). */
import type { Command } from 'commander'

interface CommandModule {
  register(program: Command): void
}

export const COMMANDS: Readonly<Record<string, () => Promise<CommandModule>>> = {
  sessions: () => import('./sessions.ts'),
  analyze: () => import('./analyze.ts'),
  compact: () => import('./compact.ts'),
  tasks: () => import('./tasks.ts'),
  restore: () => import('./restore.ts'),
  doctor: () => import('./doctor.ts'),
  recall: () => import('./recall.ts'),
  gc: () => import('./gc.ts'),
  replay: () => import('./replay.ts'),
  glance: () => import('./glance.ts'),
  once: () => import('./once.ts'),
  setup: () => import('./setup.ts'),
  schemas: () => import('./schemas.ts'),
  skills: () => import('./skills.ts'),
}
