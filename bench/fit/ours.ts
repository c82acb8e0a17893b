/** Ours: `fit` before each call, its decisions kept between calls. */
import { type Archived, memoryArchive } from '../../src/loops/content-archive.ts'
import { fit } from '../../src/loops/fit.ts'
import type { FitState } from '../../src/loops/fit-state.ts'
import type { Peer } from './peer.ts'
import type { ChatMessage } from './trajectory.ts'

export function ours(window: number): Peer {
  return {
    name: 'Spillway fit',
    begin() {
      const archive = memoryArchive()
      let state: FitState | undefined
      return async (history) => {
        const options = { model: 'gpt-5.2', window, shape: 'chat', archive, ...(state ? { state } : {}) } as const
        const fitted = await fit(history, options)
        state = fitted.state
        let texts: string | undefined
        const canRecover = (text: string): boolean => {
          texts ??= reachable(fitted.messages, archive)
          return texts.includes(text)
        }
        return { messages: fitted.messages, canRecover }
      }
    },
  }
}

const REFERENCES = /(?<![a-z2-7])[a-z2-7]{12}(?![a-z2-7])/g

/** Everything that references in the prompt lead to, and the references in that: `recall` one after the other. */
function reachable(messages: readonly ChatMessage[], archive: ReturnType<typeof memoryArchive>): string {
  const texts: string[] = []
  const open: string[] = JSON.stringify(messages).match(REFERENCES) ?? []
  const seen = new Set<string>()
  for (let ref = open.pop(); ref !== undefined; ref = open.pop()) {
    if (seen.has(ref)) continue
    seen.add(ref)
    const found = archive.get(ref) as Archived | undefined
    if (typeof found?.content !== 'string') continue
    texts.push(found.content)
    open.push(...(found.content.match(REFERENCES) ?? []))
  }
  return texts.join('\n')
}
