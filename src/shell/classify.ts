import { parse } from 'unbash'
import type { Classification, Part } from './classification.ts'
import { type Inquiry, partOf, quoted, type Refusal, refuse, startInquiry, worstEffect } from './inquiry.ts'
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
  return new Answer(disabled, command, options)
}

/** Most callers ask for the decision only, for which the first act is enough; the parts are looked at when read. */
class Answer implements Classification {
  readonly allow: boolean
  readonly ephemeral: boolean
  readonly reason: string
  readonly #inquiry: Inquiry
  readonly #disabled: ReadonlySet<string>
  readonly #command: string
  readonly #options: ClassifyOptions
  #parts: readonly Part[] | undefined

  constructor(disabled: ReadonlySet<string>, command: string, options: ClassifyOptions) {
    const inquiry = inquire(disabled, command, options, false)
    let refusal: Refusal | undefined
    let looks = false
    let changes = false
    for (const finding of inquiry.findings) {
      refusal ??= finding.refusals[0]
      const effect = worstEffect(finding)
      if (effect === 'look') looks = true
      else if (effect !== 'neutral') changes = true
    }
    this.allow = refusal === undefined
    this.ephemeral = looks && !changes
    this.reason = refusal === undefined ? 'only looks, and ends by itself' : `${quoted(refusal.subject)} ${refusal.why}`
    this.#inquiry = inquiry
    this.#disabled = disabled
    this.#command = command
    this.#options = options
  }

  get parts(): readonly Part[] {
    const inquiry = this.#inquiry.settled ? inquire(this.#disabled, this.#command, this.#options, true) : this.#inquiry
    this.#parts ??= partsOf(inquiry)
    return this.#parts
  }

  toJSON(): Classification {
    const { allow, ephemeral, reason, parts } = this
    return { allow, ephemeral, reason, parts }
  }
}

function inquire(disabled: ReadonlySet<string>, command: string, options: ClassifyOptions, complete: boolean): Inquiry {
  const inquiry = startInquiry(disabled, complete)
  if (command.length > MOST_CHARACTERS) {
    refuse(inquiry, 'length', command.slice(0, MOST_CHARACTERS), `is longer than ${MOST_CHARACTERS} characters`)
    if (inquiry.current.refusals.length > 0) return inquiry
  }
  if (CONTROL.test(command)) refuse(inquiry, 'control characters', command, 'holds control characters')
  const script = parse(command)
  const place = { inquiry, scope: rootScope(options.cwd), depth: 0, substitute: substituteWith(command) }
  walkScript(script, command, place, undefined)
  // Nothing at all, a comment, a lone `!`: the first finding stands for the command as a whole.
  if (inquiry.findings.length === 1) refuse(inquiry, 'empty', command, 'is no command')
  return inquiry
}

/** The first finding is the command as a whole; it is a part only when it is refused as such. */
function partsOf({ findings }: Inquiry): readonly Part[] {
  return findings.filter((finding, at) => at > 0 || finding.refusals.length > 0).map(partOf)
}
