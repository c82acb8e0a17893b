import type { Stage } from './story.ts'
export function damagedStory(_project: string): Stage[] {
  return []
}
