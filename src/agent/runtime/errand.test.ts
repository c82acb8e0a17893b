import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { SessionStoreEntry } from '../../stores/index.ts'
import { messageReader } from '../events/message-reader.ts'
import { errandAfter, firstErrand } from './errand.ts'
import type { OpenRuntime } from './open-runtime.ts'
import { RUNTIME_TEXTS } from './texts.ts'

let folder: string
const sessions = new Map<string, SessionStoreEntry[]>()
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'spillway-errand-'))
  sessions.clear()
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

/** As much of a runtime as errands need: no workbench, sessions in memory. */
function runtime(): OpenRuntime {
  const recorded = {
    file: 'sessions.db',
    load: async (key: { sessionId: string }) => sessions.get(key.sessionId) ?? null,
  }
  const key = (sessionId: string) => ({ projectKey: 'p', sessionId })
  return { recorded, key, runDirectory: folder, texts: RUNTIME_TEXTS, workbench: undefined } as unknown as OpenRuntime
}

function said(...texts: readonly (readonly ['user' | 'assistant', string])[]): SessionStoreEntry[] {
  return texts.map(([role, text], index) => ({
    type: role,
    uuid: `u${index}`,
    parentUuid: index === 0 ? null : `u${index - 1}`,
    isSidechain: false,
    sessionId: 's',
    message: role === 'user' ? { role, content: text } : { role, id: `m${index}`, content: [{ type: 'text', text }] },
  }))
}

const FAILED = { kind: 'failed', error: { class: 'transient', text: '529' } } as const
const nothing = { figures: messageReader(), stopped: new Set<string>(), words: [] }

describe('what follows a query', () => {
  it('begins again under a new id where nothing was kept, with all that was said', async () => {
    const errand = await firstErrand(runtime(), 'Do it.', {})
    const ending = { kind: 'interrupt', message: 'Quickly.' } as const
    const next = await errandAfter(runtime(), { ...nothing, errand, ending, words: ['Please.'] })
    expect([next.start.kind, next.prompt]).toEqual(['fresh', 'Do it.\n\nQuickly.\n\nPlease.'])
    expect(next.start.sessionId).not.toBe(errand.start.sessionId)
  })

  it('goes on without a word of the error once the prompt has arrived', async () => {
    const errand = await firstErrand(runtime(), 'Do it.', {})
    sessions.set(errand.start.sessionId, said(['user', 'Do it.']))
    const next = await errandAfter(runtime(), { ...nothing, errand, ending: FAILED })
    expect(next.start).toMatchObject({ kind: 'resume', sessionId: errand.start.sessionId })
    expect(next.prompt).toBe(RUNTIME_TEXTS.broke)
  })

  it('says the prompt again that did not arrive, and still leaves out what it was to leave out', async () => {
    sessions.set('s', said(['user', 'One.'], ['assistant', 'Two.'], ['user', 'Three.'], ['assistant', 'Four.']))
    const errand = await firstErrand(runtime(), 'Five.', { resume: 's', resumeAt: 'u1' })
    const next = await errandAfter(runtime(), { ...nothing, errand, ending: FAILED })
    expect([next.start, next.prompt]).toEqual([{ kind: 'resume', sessionId: 's', at: 'u1' }, 'Five.'])
  })

  it('is a person’s words, or a fixed sentence after an epoch', async () => {
    const errand = await firstErrand(runtime(), 'Do it.', {})
    sessions.set(errand.start.sessionId, said(['user', 'Do it.']))
    const spoken = { kind: 'interrupt', message: 'Stop.' } as const
    expect((await errandAfter(runtime(), { ...nothing, errand, ending: spoken })).prompt).toBe('Stop.')
    const epoch = await errandAfter(runtime(), { ...nothing, errand, ending: { kind: 'epoch' } })
    expect(epoch.prompt).toBe(RUNTIME_TEXTS.goOn)
  })
})
