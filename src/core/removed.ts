/** What an edit takes out, in the form the archive keeps it (DESIGN, Reference). */
import type { ContentClass, Removed } from './edits.ts'
import { referenceOf } from './reference.ts'
import type { Address, CallBlock, JsonValue, MediaPart, ResultBlock } from './transcript.ts'

const TARGET_KEYS = [
  'file_path',
  'notebook_path',
  'path',
  'command',
  'cmd',
  'pattern',
  'query',
  'url',
  'description',
  'label',
]

/** What a call is about: its path, command, pattern or address, one string. */
export function targetOf(call: Pick<CallBlock, 'input'>): string | undefined {
  for (const key of TARGET_KEYS) {
    const value = call.input[key]
    if (typeof value === 'string' && value !== '') return value
    const script = scriptIn(value)
    if (script !== undefined) return script
  }
  return undefined
}

/** The script of a command given as words for a shell (`["bash", "-lc", script]`, as Codex does). */
export function scriptIn(value: JsonValue | undefined): string | undefined {
  if (!Array.isArray(value) || value.length !== 3) return undefined
  const [shell, flag, script] = value as readonly JsonValue[]
  const isShell = typeof shell === 'string' && /(^|\/)(bash|sh|zsh|dash)$/.test(shell)
  return isShell && (flag === '-lc' || flag === '-c') && typeof script === 'string' ? script : undefined
}

interface RemovedFacts {
  readonly at: Address
  readonly rule: string
  readonly class: ContentClass
  readonly call?: CallBlock
  readonly target?: string
}

export function removedText(content: string, facts: RemovedFacts, mediaType = 'text/plain'): Removed {
  return removedUnder(referenceOf(content), content, facts, mediaType)
}

function removedUnder(ref: string, content: string, facts: RemovedFacts, mediaType: string): Removed {
  const target = facts.target ?? (facts.call && targetOf(facts.call))
  return {
    ref,
    content,
    mediaType,
    class: facts.class,
    ...(facts.call ? { tool: facts.call.tool } : {}),
    ...(target === undefined ? {} : { target }),
    rule: facts.rule,
    at: facts.at,
  }
}

export function removedMedia(media: Omit<MediaPart, 'type'>, facts: RemovedFacts): Removed {
  const bytes = Buffer.from(media.data ?? '', 'base64')
  return { ...removedText('', facts), ref: referenceOf(bytes), content: bytes, mediaType: media.mediaType }
}

/** References of bodies that were asked for: a plan that must cut deep lets the rules propose several times. */
const bodyReferences = new WeakMap<ResultBlock, string>()

/** A result's body: its text where it is one text, else the raw JSON slice. */
export function removedBody(result: ResultBlock, facts: Omit<RemovedFacts, 'at'>): Removed {
  const [only, ...rest] = result.parts
  const isText = only?.type === 'text' && rest.length === 0
  const content = isText ? only.text : (result.raw ?? JSON.stringify(result.parts))
  const ref = bodyReferences.get(result) ?? referenceOf(content)
  bodyReferences.set(result, ref)
  return removedUnder(ref, content, { ...facts, at: result.at }, isText ? 'text/plain' : 'application/json')
}

const inputReferences = new WeakMap<CallBlock, { readonly json: string; readonly ref: string }>()

/** A call's whole input, as JSON. */
export function removedInput(call: CallBlock, facts: Omit<RemovedFacts, 'at'>): Removed {
  let known = inputReferences.get(call)
  if (!known) {
    const json = JSON.stringify(call.input)
    known = { json, ref: referenceOf(json) }
    inputReferences.set(call, known)
  }
  return removedUnder(known.ref, known.json, { ...facts, at: call.at }, 'application/json')
}
