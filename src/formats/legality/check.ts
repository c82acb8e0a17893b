/** Runs the rules of one wire over a raw request. */
import type { Finding, RequestContext, RequestRule, RuleFacts } from './rule.ts'

/** The rules of one wire and how it reads a request; what a reading holds is nobody else's business. */
export interface Wire {
  readonly rules: readonly RuleFacts[]
  check(request: unknown, context: RequestContext, skipped: ReadonlySet<string>): Finding[]
}

export function wireOf<Reading>(read: (request: unknown) => Reading, rules: readonly RequestRule<Reading>[]): Wire {
  return {
    rules,
    check(request, context, skipped) {
      const reading = read(request)
      return rules.filter(({ id }) => !skipped.has(id)).flatMap((rule) => findingsOf(rule, reading, context))
    },
  }
}

function findingsOf<Reading>(rule: RequestRule<Reading>, reading: Reading, context: RequestContext): Finding[] {
  return rule.check(reading, context).map(({ message, at, id, unsure }) => ({
    rule: rule.id,
    severity: rule.severity === 'reject' && unsure !== true ? 'reject' : 'warn',
    status: rule.status ?? 400,
    message,
    ...(at === undefined ? {} : { at }),
    ...(id === undefined ? {} : { id }),
  }))
}
