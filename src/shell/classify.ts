import { parse } from 'unbash'
import type { Classification, Part } from './classification.ts'
import {
  type Inquiry,
  openFinding,
  partOf,
  quoted,
  type Refusal,
  refuse,
  startInquiry,
  worstEffect,
} from './inquiry.ts'
import { MOST_CHARACTERS } from './limits.ts'
import { rootScope } from './scope.ts'
import { substituteWith, walkScript } from './walk.ts'

export interface ClassifyOptions {
  /** The directory in which the command would run; relative names of secrets and devices are read from it. */
  readonly cwd?: string
}

const CONTROL = /[\u0000-\u0008\u000b-\u001f\u007f]/

/**
 * May a coordinator run this Bash command itself (`allow`), and does its result go stale (`ephemeral`)? Decided from
 * the text alone, in time linear in its length (seeds F10, F5). Never throws. `allow` implies `ephemeral`.
 */
export function classify(command: string, options: ClassifyOptions = {}): Classification {
  return classifyWithout(NO_GUARDS, command, options)
}

const NO_GUARDS: ReadonlySet<string> = new Set()

/** `classify` with some guards switched off, for the test that every guard is needed. */
export function classifyWithout(
  disabled: ReadonlySet<string>,
  command: string,
  options: ClassifyOptions = {},
): Classification {
  const inquiry = startInquiry(disabled)
  const quotedStart = command.length > MOST_CHARACTERS ? command.slice(0, MOST_CHARACTERS) : command
  if (command.length > MOST_CHARACTERS) {
    refuse(inquiry, 'length', quotedStart, `is longer than ${MOST_CHARACTERS} characters`)
    if (inquiry.current.refusals.length > 0) return conclude(inquiry)
  }
  if (CONTROL.test(command)) refuse(inquiry, 'control characters', command, 'holds control characters')
  const place = { inquiry, scope: rootScope(options.cwd), depth: 0, substitute: substituteWith(command) }
  const script = parse(command)
  if (script.commands.length === 0) {
    openFinding(inquiry, command)
    refuse(inquiry, 'empty', command, 'is no command')
    return conclude(inquiry)
  }
  walkScript(script, command, place, undefined)
  return conclude(inquiry)
}

function conclude(inquiry: Inquiry): Classification {
  const { findings } = inquiry
  const [outside] = findings
  if (outside?.refusals.length === 0) findings.shift()
  let refusal: Refusal | undefined
  let looks = false
  let changes = false
  for (const finding of findings) {
    refusal ??= finding.refusals[0]
    const effect = worstEffect(finding)
    if (effect === 'look') looks = true
    else if (effect !== 'neutral') changes = true
  }
  let parts: readonly Part[] | undefined
  return {
    allow: refusal === undefined,
    ephemeral: looks && !changes,
    reason: refusal === undefined ? 'only looks, and ends by itself' : `${quoted(refusal.subject)} ${refusal.why}`,
    // Most callers ask for the decision only.
    get parts() {
      parts ??= findings.map(partOf)
      return parts
    },
  }
}
