/**
 * What the examples run against: a model on the loopback interface that works through a long task, one call a step,
 * refuses what the real API refuses, and takes prompts of 16,000 tokens at most. Now and then it wants something back
 * that left its context.
 */
import { answer, call, say, scriptedModel, type ScriptedModel } from 'spillway/testing'

export const STEPS = Number(process.env.STEPS ?? 500)
export const WINDOW = 16_000
export const TASK = `Check the ${STEPS} log files of the ferry line Nordlicht for failed landings. Files are never changed.`
/** A phrase that only the task has. */
const PHRASE = 'ferry line Nordlicht'
const RECALL_EVERY = 25

export async function offlineModel(): Promise<ScriptedModel> {
  let step = 0
  return scriptedModel({
    strict: true,
    window: WINDOW,
    script({ text }) {
      if (step >= STEPS) return answer(say(`All ${STEPS} log files are checked.`))
      step++
      const pointers = [...text.matchAll(/\[spillway ([a-z2-7]{12}): read_log/g)]
      const ref = pointers[step % Math.max(1, pointers.length)]?.[1]
      if (step % RECALL_EVERY === 0 && ref) return answer(say('What did that one say?'), call('recall', { ref }))
      return answer(say(`File ${step} is next.`), call('read_log', { file: `log-${step}.txt` }))
    },
  })
}

/** The result of the only tool: between half a page and three pages. */
export function readLog(file: string): string {
  const number = Number(/\d+/.exec(file)?.[0] ?? 0)
  const lines = 10 + ((number * 37) % 60)
  return Array.from({ length: lines }, (_, line) => `${file} ${line}: landing at pier ${(number * line) % 7}, code ${number * 1000 + line}`).join('\n')
}

/** Says how it went, by what was really sent, and fails the process where it did not go well. */
export async function summary(model: ScriptedModel, said: string, compactions: number): Promise<void> {
  const refused = model.requests.filter(({ status }) => status !== 200)
  const withoutTask = model.requests.filter(({ text }) => !text.includes(PHRASE))
  const sizes = model.requests.map(({ usage }) => {
    return usage ? usage.input_tokens + usage.cache_read_input_tokens + usage.cache_creation_input_tokens : 0
  })
  console.log(said)
  console.log(`${model.requests.length} requests, ${refused.length} refused, ${withoutTask.length} without the task`)
  console.log(`largest prompt ${Math.max(...sizes)} of ${WINDOW} tokens, ${compactions} compactions`)
  if (refused.length > 0 || withoutTask.length > 0 || compactions === 0 || !said.includes('checked')) {
    process.exitCode = 1
  }
  await model.close()
}
