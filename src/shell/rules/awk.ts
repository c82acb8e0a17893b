import type { Field } from '../fields.ts'
import { type Judging, named, object } from '../judging.ts'

/** The program must be known; it may compute and print to standard output, nothing else. */
export function awkRule(judging: Judging): void {
  const [program, ...files] = judging.arguments.operands
  if (judging.fields.some((field) => field.text === '--version')) return
  if (program === undefined || !program.known) {
    const subject = program === undefined ? judging.text : named(judging, program)
    object(judging, 'awk program', subject, 'has a program that is not known; write it in single quotes')
    return
  }
  const problem = awkProblem(program.text)
  if (problem !== undefined) object(judging, 'awk program', judging.text, problem)
  if (!judging.input && needsInput(program, files)) {
    object(judging, 'waiting for input', judging.text, [
      'waits for standard input; give it a file or a pipe',
      'endless',
    ])
  }
}

function needsInput(program: Field, files: readonly Field[]): boolean {
  const reads = !/^\s*BEGIN\s*\{[^{}]*\}\s*$/.test(program.text)
  const named = files.some((field) => !/^[A-Za-z_]\w*=/.test(field.text) && field.text !== '-')
  return reads && !named
}

const REFUSED_WORDS: Readonly<Record<string, string>> = {
  system: 'runs a command (`system`)',
  getline: 'reads a command or another file (`getline`)',
  close: 'closes a pipe (`close`)',
  fflush: 'may run a command (`fflush`)',
  ENVIRON: 'shows the environment (`ENVIRON`)',
  PROCINFO: 'changes how awk runs (`PROCINFO`)',
  SYMTAB: 'changes any variable (`SYMTAB`)',
  FUNCTAB: 'calls any function (`FUNCTAB`)',
  ARGV: 'changes which files are read (`ARGV`)',
  ARGC: 'changes which files are read (`ARGC`)',
  function: 'defines a function; write it out',
  func: 'defines a function; write it out',
  while: 'may loop for ever (`while`)',
  do: 'may loop for ever (`do`)',
}
/** After these words a slash begins a regular expression; after other words it divides. */
const BEFORE_REGEX = new Set('print printf return case else in exit delete next BEGIN END'.split(' '))
const OPENERS = '([{'
const CLOSERS = ')]}'
const UNCLEAR = 'has an awk program that is not certain to be read-only; make it simpler'

/** Why an awk program is not read-only, or `undefined`. One pass over its tokens, linear. */
export function awkProblem(program: string): string | undefined {
  /** For each open bracket: the word before it, to tell `if (x) /re/` from `(x) / 2`. */
  const open: string[] = []
  /** Depth of brackets where the current `print` began; `undefined` outside of one. */
  let printing: number | undefined
  let word = ''
  /** Could the token before be the end of a value, so that a slash divides? */
  let afterValue = false
  let continues = false
  let at = 0
  while (at < program.length) {
    const sign = program[at] ?? ''
    if (sign === ' ' || sign === '\t') {
      at++
      continue
    }
    if (sign === '\\' && program[at + 1] === '\n') {
      at += 2
      continue
    }
    if (sign === '#') {
      const newline = program.indexOf('\n', at)
      at = newline < 0 ? program.length : newline
      continue
    }
    if (sign === '\n') {
      if (!continues && (printing === undefined || open.length <= printing)) {
        printing = undefined
        afterValue = false
      }
      at++
      continue
    }
    continues = false
    if (/[A-Za-z_]/.test(sign)) {
      word = /^\w+/.exec(program.slice(at, at + 300))?.[0] ?? ''
      const problem = REFUSED_WORDS[word]
      if (problem !== undefined) return problem
      if (word === 'print' || word === 'printf') printing = open.length
      afterValue = !BEFORE_REGEX.has(word)
      continues = word === 'else'
      at += word.length
      continue
    }
    if (/[0-9.]/.test(sign)) {
      at += /^(?:0[xX][\da-fA-F]+|\d*\.?\d*(?:[eE][+-]?\d+)?)/.exec(program.slice(at, at + 300))?.[0].length || 1
      afterValue = true
    } else if (sign === '"') {
      const close = stringEnd(program, at + 1, '"')
      if (close === undefined) return UNCLEAR
      if (/%[^a-zA-Z%"]*(?:\*|\d{4,})/.test(program.slice(at, close))) return 'has a width that may never end'
      at = close
      afterValue = true
    } else if (sign === '/') {
      // `length /x/` is read differently by different awks.
      if (word === 'length') return UNCLEAR
      if (afterValue) {
        at++
        afterValue = false
      } else {
        const close = stringEnd(program, at + 1, '/')
        // A slash inside brackets ends the expression in some awks and not in others.
        if (close === undefined || /\[[^\]]*\/$/.test(program.slice(at + 1, close))) return UNCLEAR
        at = close
        afterValue = true
      }
    } else if (OPENERS.includes(sign)) {
      open.push(sign === '(' ? word : '')
      if (sign === '{') printing = undefined
      afterValue = false
      continues = sign === '{'
      at++
    } else if (CLOSERS.includes(sign)) {
      const before = open.pop()
      if (sign === '}') printing = undefined
      afterValue = sign !== '}' && !(sign === ')' && (before === 'if' || before === 'for' || before === 'switch'))
      at++
    } else {
      if (sign === '@') return 'calls a function by name or loads code (`@`)'
      if (sign === '`' || sign === "'") return UNCLEAR
      if (sign === '|' && program[at + 1] !== '|') return 'pipes into a command (`|`)'
      if (sign === '>' && printing !== undefined && open.length <= printing) return 'writes a file (`>`)'
      if (sign === ';') {
        if (/^;\s*;/.test(program.slice(at, at + 100))) return 'may loop for ever (`for (;;)`)'
        if (!open.includes('for') || open.at(-1) !== 'for') printing = undefined
      }
      const two = program.slice(at, at + 2)
      at += two === '||' || two === '&&' || two === '++' || two === '--' ? 2 : 1
      continues = ',?:'.includes(sign) || two === '||' || two === '&&'
      afterValue = (two === '++' || two === '--') && afterValue
    }
    if (sign !== '(') word = ''
  }
  return open.length > 0 ? UNCLEAR : undefined
}

/** The place after the closing sign; a backslash takes the next sign with it. */
function stringEnd(program: string, from: number, closing: string): number | undefined {
  for (let at = from; at < program.length; at++) {
    const sign = program[at]
    if (sign === '\\') at++
    else if (sign === closing) return at + 1
    else if (sign === '\n') return undefined
  }
  return undefined
}
