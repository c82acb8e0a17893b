import type { TestExpression, Word } from 'unbash'
import { refuse } from './inquiry.ts'
import { expandQuoted, expandWord, type Place } from './words.ts'

const ARITHMETIC = new Set(['-eq', '-ne', '-lt', '-le', '-gt', '-ge'])

/** `[[ ... ]]`: operators that evaluate their operands as code need numbers. */
export function checkCondition(expression: TestExpression, source: string, place: Place): void {
  switch (expression.type) {
    case 'TestUnary':
      if (expression.operator === '-v' || expression.operator === '-R') {
        const text = source.slice(expression.pos, expression.end)
        refuse(place.inquiry, 'test of a variable', text, 'evaluates an index as code; use `[[ -n $x ]]`')
      }
      checkOperand(expression.operand, place)
      return
    case 'TestBinary':
      for (const side of [expression.left, expression.right]) {
        const isNumber = checkOperand(side, place)
        if (!ARITHMETIC.has(expression.operator) || isNumber) continue
        const text = source.slice(expression.pos, expression.end)
        refuse(place.inquiry, 'computed comparison', text, 'evaluates a value as code; use `[ "$x" -eq 1 ]`')
      }
      return
    case 'TestLogical':
      for (const operand of expression.operands) checkCondition(operand, source, place)
      return
    case 'TestNot':
      checkCondition(expression.operand, source, place)
      return
    case 'TestGroup':
      checkCondition(expression.expression, source, place)
      return
    default:
      refuse(place.inquiry, 'unnamed construct', source, 'has a test that a glance may not use')
  }
}

/** Looks into an operand, which never splits; tells whether it is certainly a number. */
function checkOperand(word: Word, place: Place): boolean {
  if (word.parts === undefined) return /^-?\d{1,15}$/.test(word.value)
  const isPattern = word.parts.some((part) => part.type === 'ExtendedGlob' || part.type === 'BraceExpansion')
  if (isPattern) {
    expandWord(word, place)
    return false
  }
  const field = expandQuoted(word.parts, word.text, place)
  return field.known ? /^-?\d{1,15}$/.test(field.text) : field.plain && !field.glob
}
