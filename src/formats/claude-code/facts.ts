/** What a session says about itself, collected while its entries pass. */

import { type Fields, textOf } from '../fields.ts'
import type { RecordedRequest, SessionFacts } from '../format.ts'
import type { Entry } from './entry.ts'

type CollectedFacts = Pick<
  SessionFacts,
  'id' | 'cwd' | 'title' | 'compactions' | 'apiErrors' | 'interrupts' | 'requests'
>

export interface FactsCollector {
  add(value: Fields, entry: Entry): void
  facts(): CollectedFacts
}

/** Facts of the entries that are given to it: those of the main thread, or of all where all are sidechain. */
export function factsCollector(): FactsCollector {
  let id: string | undefined
  let cwd: string | undefined
  const titles: { custom?: string; generated?: string } = {}
  let compactions = 0
  let apiErrors = 0
  let interrupts = 0
  const requests = new Map<string, RecordedRequest>()

  function addRequest(entry: Entry): void {
    const { sent } = entry
    if (sent?.role !== 'assistant' || sent.usage === undefined || sent.kind === 'api-error') return
    const key = sent.id ?? `entry ${sent.entry}`
    const first = requests.get(key)
    requests.set(key, {
      entry: first?.entry ?? sent.entry,
      usage: sent.usage,
      ...(sent.model === undefined ? {} : { model: sent.model }),
      ...(sent.time === undefined ? {} : { time: sent.time }),
      segment: first?.segment ?? compactions,
    })
  }

  return {
    add(value, entry) {
      id = textOf(value.sessionId) ?? id
      cwd ??= textOf(value.cwd)
      if (value.type === 'custom-title') titles.custom = textOf(value.customTitle) ?? titles.custom ?? ''
      if (value.type === 'ai-title') titles.generated = textOf(value.aiTitle) ?? titles.generated ?? ''
      if (value.type === 'summary') titles.generated ??= textOf(value.summary) ?? ''
      if (entry.isBoundary) compactions++
      if (entry.sent?.kind === 'api-error' || (entry.type === 'system' && value.subtype === 'api_error')) apiErrors++
      if (entry.sent?.kind === 'interrupt') interrupts++
      addRequest(entry)
    },
    facts() {
      const title = titles.custom || titles.generated
      return {
        ...(id === undefined ? {} : { id }),
        ...(cwd === undefined ? {} : { cwd }),
        ...(title ? { title } : {}),
        compactions,
        apiErrors,
        interrupts,
        requests: [...requests.values()],
      }
    },
  }
}
