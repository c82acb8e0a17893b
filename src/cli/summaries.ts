/** `--summaries-url` and `--summaries-model`: records of finished tasks written by a model instead of the digest. */
import { SpillwayError } from '../core/errors.ts'
import type { Summarize } from '../sessions/task-summaries.ts'

/** The key of an endpoint that wants one; never on the command line, where others would see it. */
const KEY_VARIABLE = 'SPILLWAY_SUMMARIES_KEY'

export const SUMMARY_HELP = `
--summaries-url and --summaries-model let a model write the records, for instance one that runs on this machine
(http://127.0.0.1:8080/v1). It is asked twice at most and 30 seconds each time; where it is silent or wrong the digest
stands, with the reason. Nothing else is sent anywhere. ${KEY_VARIABLE} holds its key, where it wants one.
`

export interface SummaryFlags {
  summariesUrl?: string
  summariesModel?: string
}

/** @throws SpillwayError `usage` */
export function refuseHalfSummaries({ summariesUrl, summariesModel }: SummaryFlags): void {
  if ((summariesUrl === undefined) !== (summariesModel === undefined)) {
    throw new SpillwayError('usage', '--summaries-url and --summaries-model belong together; give both')
  }
  if (summariesUrl !== undefined && !/^https?:\/\/[^/]/.test(summariesUrl)) {
    throw new SpillwayError('usage', `--summaries-url: "${summariesUrl}" is no http address`)
  }
}

/** Empty where no model was named: the digest writes every record. */
export function summarizerFrom({ summariesUrl, summariesModel }: SummaryFlags): { readonly summarize?: Summarize } {
  if (summariesUrl === undefined || summariesModel === undefined) return {}
  const apiKey = process.env[KEY_VARIABLE]
  const model = { baseURL: summariesUrl, model: summariesModel, ...(apiKey === undefined ? {} : { apiKey }) }
  return {
    summarize: async (tasks) => {
      const { summarizeTasks } = await import('../hands/summaries/index.ts')
      return summarizeTasks(tasks, { model })
    },
  }
}
