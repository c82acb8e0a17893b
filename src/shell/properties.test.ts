import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { GLANCES, NO_GLANCES } from '../../test/support/glance-cases.ts'
import { chooser, GlanceGrammar } from '../../test/support/glance-grammar.ts'
import { expandBraces } from './braces.ts'
import { classify } from './index.ts'
import { awkProblem } from './rules/awk.ts'
import { jqProblem } from './rules/jq.ts'
import { sedProblem } from './rules/sed.ts'

const RUNS = 2000
/** Pieces of shell, so that random texts reach beyond the first syntax error. */
const PIECES = [
  ...['$(', ')', '`', '"', "'", '\\', '${', '}', '{', ',', '$((', '))', '[[', ']]', '[', ']', '<<EOF\n', '\nEOF\n'],
  ...['|', '||', '&', '&&', ';', ';;', '\n', '>', '>>', '<', '<>', '2>&1', '<(', '>(', '*', '?', '!', '#', '~', '='],
  ...['if ', 'then ', 'fi', 'for x in ', 'do ', 'done', 'while ', 'case ', 'in ', 'esac', 'function f ', 'time ', '! '],
  ...[
    'ls ',
    'git ',
    'log ',
    'sed ',
    'awk ',
    'jq ',
    'find . ',
    '-exec ',
    '{} \\;',
    '-o ',
    '--output=F ',
    'x=',
    '$x ',
    '"$x" ',
  ],
  ...[
    's/a/b/',
    'w F',
    'print > "F"',
    'env',
    '\u0000',
    '\u0007',
    'é',
    '\ud83d',
    '-',
    '--',
    '1',
    'a b',
    '$@',
    '$"',
    "$'",
  ],
]
const shellish = fc.array(fc.constantFrom(...PIECES), { maxLength: 40 }).map((pieces) => pieces.join(''))

describe('classify', () => {
  it('never throws, and what it allows goes stale', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string({ unit: 'binary', maxLength: 200 }), shellish), (command) => {
        const { allow, ephemeral, reason, parts } = classify(command)
        expect(allow && !ephemeral).toBe(false)
        expect(reason).not.toMatch(/\n/)
        expect(parts.every((part) => part.ephemeral || !part.allow)).toBe(true)
        expect(parts.every((part) => part.allow)).toBe(allow)
      }),
      { numRuns: RUNS },
    )
  })

  it('gives the same answer for what the grammar writes, whether the parts are read or not', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0 }), (seed) => {
        const command = new GlanceGrammar(chooser(seed)).command()
        const first = classify(command)
        const parts = first.parts.map((part) => part.allow)
        expect(first.allow).toBe(parts.every(Boolean))
        expect(classify(command)).toMatchObject({
          allow: first.allow,
          ephemeral: first.ephemeral,
          reason: first.reason,
        })
        expect(first.allow && !first.ephemeral).toBe(false)
      }),
      { numRuns: RUNS },
    )
  })

  it('refuses a list when it refuses one command of it', () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...GLANCES.filter(standsAlone)),
        fc.constantFrom(...NO_GLANCES.filter(standsAlone)),
        fc.constantFrom(' && ', ' || ', '; ', '\n', ' | '),
        (glance, other, operator) => {
          expect(classify(`${glance}${operator}${other}`).allow && operator !== ' | ').toBe(false)
          expect(classify(`${other}${operator}${glance}`).allow).toBe(false)
          expect(classify(`( ${glance} )`).allow).toBe(true)
        },
      ),
      { numRuns: RUNS },
    )
  })
})

/** A command that means the same before, after and inside of others. */
function standsAlone(command: string): boolean {
  return /^[a-z]+ [\w ./-]+$/.test(command)
}

describe('the small languages', () => {
  it('never throw', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string({ maxLength: 100 }), shellish), (text) => {
        for (const look of [sedProblem, awkProblem, jqProblem, expandBraces]) look(text)
      }),
      { numRuns: RUNS },
    )
  })
})
