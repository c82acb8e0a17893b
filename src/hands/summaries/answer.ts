/** From a model's answer to a summary, or to what is wrong with its shape. */
import { z } from 'zod'

const line = z
  .string()
  .transform((text) => text.replace(/\s+/g, ' ').trim())
  .pipe(z.string().max(600))
const lines = z.array(line).max(50).default([])

const summarySchema = z.object({
  task: line.pipe(z.string().min(1)),
  outcome: line.pipe(z.string().min(1)),
  result: line.pipe(z.string().min(1)),
  filesAdded: z.array(z.string()).default([]),
  filesChanged: z.array(z.string()).default([]),
  errors: lines,
  triedAndFailed: lines,
  toRemember: lines,
})

export type Summary = z.infer<typeof summarySchema>

/** Small models put their JSON into a code block or behind a sentence: the outermost object counts. */
export function parseSummary(answer: string): Summary | { readonly fault: string } {
  const object = answer.slice(answer.indexOf('{'), answer.lastIndexOf('}') + 1)
  if (object === '') return { fault: 'it is no JSON object' }
  let value: unknown
  try {
    value = JSON.parse(object)
  } catch {
    return { fault: 'it is no JSON object' }
  }
  const parsed = summarySchema.safeParse(value)
  if (parsed.success) return parsed.data
  const [issue] = parsed.error.issues
  return { fault: `${issue?.path.join('.') || 'it'}: ${issue?.message ?? 'of another shape'}` }
}
