import type { Redirection } from 'unbash'
import { refuse } from './inquiry.ts'
import { deviceProblem, resolveFrom, secretProblem } from './paths.ts'
import { expandQuoted, expandWord, type Place } from './words.ts'

const OUTPUT = new Set(['>', '>>', '>|', '&>', '&>>'])

/**
 * Output may go to /dev/null or be joined with standard output or error; input may come from a file, a here-document
 * or a string. Returns whether standard input is redirected.
 */
export function checkRedirections(redirections: readonly Redirection[], source: string, place: Place): boolean {
  let input = false
  for (const redirection of redirections) {
    const text = source.slice(redirection.pos, redirection.end)
    const { descriptor } = redirection
    const number = descriptor?.type === 'FileDescriptor' ? descriptor.value : undefined
    if (descriptor?.type === 'FileDescriptorVariable' || (number !== undefined && number > 2)) {
      refuse(place.inquiry, 'other descriptors', text, 'opens a further descriptor; use only 0, 1 and 2')
    }
    if (redirection.type === 'HereDoc') {
      input = true
      const { body, closing, delimiter } = redirection
      if (closing === undefined) refuse(place.inquiry, 'syntax', text, 'has a here-document that does not end')
      if (body.parts !== undefined && delimiter?.quoted !== true) expandQuoted(body.parts, body.text, place)
      continue
    }
    if (redirection.target === undefined) {
      refuse(place.inquiry, 'syntax', text, 'has no target')
      continue
    }
    if (redirection.type === 'HereString') {
      input = true
      expandWord(redirection.target, place)
      continue
    }
    const fields = expandWord(redirection.target, place)
    const [target] = fields
    const path = fields.length === 1 && target?.known ? target.text : undefined
    const { operator } = redirection
    if (operator === '<' && (number ?? 0) === 0) {
      input = true
      checkInputFile(
        fields.map((field) => field.text),
        text,
        place,
      )
    } else if (OUTPUT.has(operator) && path === '/dev/null' && number !== 0) continue
    else if (operator === '>&' && number !== 0 && (path === '1' || path === '2' || path === '/dev/null')) continue
    else if (OUTPUT.has(operator) || operator === '>&') {
      refuse(place.inquiry, 'output files', text, 'writes a file; only /dev/null and `2>&1` are read-only')
    } else refuse(place.inquiry, 'other redirections', text, 'opens a file for writing or copies a descriptor')
  }
  return input
}

function checkInputFile(texts: readonly string[], text: string, place: Place): void {
  for (const name of texts) {
    const path = resolveFrom(place.scope.directory, name)
    const secret = secretProblem(path)
    if (secret !== undefined) refuse(place.inquiry, 'secret files', text, secret, 'look')
    const device = deviceProblem(path, false)
    if (device !== undefined) refuse(place.inquiry, 'devices', text, device, 'endless')
  }
}
