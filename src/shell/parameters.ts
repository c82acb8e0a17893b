import type {
  ArithmeticExpansionPart,
  ArithmeticExpression,
  ParameterExpansionPart,
  SimpleExpansionPart,
  WordPart,
} from 'unbash'
import { A_NUMBER, type Knowledge, NOTHING_KNOWN } from './fields.ts'
import { refuse } from './inquiry.ts'
import { isAssigned, lookUp } from './scope.ts'
import { expandAssigned, type Place } from './words.ts'

/** Names of environment variables that usually hold a password or a key. */
const CREDENTIAL_NAME = /TOKEN|SECRET|PASSW|PASSPHRASE|CREDENTIAL|API_?KEY|PRIVATE_?KEY|ACCESS_?KEY|ENCRYPTION_?KEY/i
const WHOLE_NUMBER = /^-?\d{1,15}$/

/** Arithmetic operators that assign are refused: they reach names that the assignment rules have not seen. */
const SAFE_OPERATOR = new Set('+ - * / % ** << >> < <= > >= == != & ^ | && || ! ~ ,'.split(' '))

/** What `$x` or `${x...}` may be, after refusing the forms that assign, run code or name a variable indirectly. */
export function parameterKnowledge(part: SimpleExpansionPart | ParameterExpansionPart, place: Place): Knowledge {
  if (part.type === 'SimpleExpansion') return knowledgeOfName(part.text.slice(1), part.text, place)
  const { parameter, prefix, index, operation, text } = part
  if (prefix === '!') {
    refuse(place.inquiry, 'indirect expansion', text, 'reads a variable named by another; name it directly')
    return NOTHING_KNOWN
  }
  if (index !== undefined && !/^(?:[@*]|\d{1,9})$/.test(index.text)) {
    refuse(place.inquiry, 'computed index', text, 'evaluates its index as code; use a number, `@` or `*`')
  }
  if (prefix === '#') return A_NUMBER
  if (operation === undefined) return index === undefined ? knowledgeOfName(parameter, text, place) : NOTHING_KNOWN
  switch (operation.type) {
    case 'Default': {
      if (operation.operator.includes('=')) {
        refuse(place.inquiry, 'assigning expansion', text, 'assigns the variable; use `:-`')
      } else if (operation.operator.includes('?')) {
        refuse(place.inquiry, 'aborting expansion', text, 'ends the shell; use `:-`')
      }
      const otherwise = expandAssigned(operation.operand, place)
      if (operation.operator.includes('+')) return otherwise.text === '' ? NOTHING_KNOWN : ofText(otherwise.text)
      const value = knowledgeOfName(parameter, text, place)
      return value.values === undefined || !otherwise.known ? NOTHING_KNOWN : value
    }
    case 'Remove':
    case 'CaseModification':
      if (operation.operand !== undefined) expandAssigned(operation.operand, place)
      break
    case 'Replace':
      expandAssigned(operation.pattern, place)
      expandAssigned(operation.replacement, place)
      break
    case 'Slice':
      if (!WHOLE_NUMBER.test(operation.offset.text.trim()) || !isNumberOrNothing(operation.length?.text)) {
        refuse(place.inquiry, 'computed slice', text, 'evaluates its bounds as code; use numbers')
      }
      break
    case 'Transform':
      refuse(place.inquiry, 'transforming expansion', text, 'may run code in the value (`@P`); use the plain value')
      break
    default:
      refuse(place.inquiry, 'unnamed expansion', text, 'is an expansion that a glance may not use')
  }
  knowledgeOfName(parameter, text, place)
  return NOTHING_KNOWN
}

function ofText(text: string): Knowledge {
  return { values: undefined, dashFree: !/(?:^|\s)-|^\u0000/.test(text), whole: false, numeric: false }
}

function isNumberOrNothing(text: string | undefined): boolean {
  return text === undefined || WHOLE_NUMBER.test(text.trim())
}

function knowledgeOfName(name: string, text: string, place: Place): Knowledge {
  if (!place.testing && CREDENTIAL_NAME.test(name) && !isAssigned(place.scope, name)) {
    refuse(place.inquiry, 'credential variable', text, 'may show a password or key', 'look')
  }
  return lookUp(place.scope, name)
}

/** `$((...))`: only numbers, variables known to be numbers, and operators that do not assign. */
export function arithmeticKnowledge(part: ArithmeticExpansionPart, place: Place): Knowledge {
  if (part.expression !== undefined) checkArithmetic(part.expression, part.text, place)
  return A_NUMBER
}

function checkArithmetic(expression: ArithmeticExpression, text: string, place: Place): void {
  switch (expression.type) {
    case 'ArithmeticBinary':
      checkOperator(expression.operator, text, place)
      checkArithmetic(expression.left, text, place)
      checkArithmetic(expression.right, text, place)
      return
    case 'ArithmeticUnary':
      checkOperator(expression.operator, text, place)
      checkArithmetic(expression.operand, text, place)
      return
    case 'ArithmeticTernary':
      for (const side of [expression.test, expression.consequent, expression.alternate]) {
        checkArithmetic(side, text, place)
      }
      return
    case 'ArithmeticGroup':
      checkArithmetic(expression.expression, text, place)
      return
    case 'ArithmeticWord':
      checkNumber(expression.value, expression.parts, text, place)
      return
    default:
      refuse(place.inquiry, 'computed arithmetic', text, 'evaluates the output of a command as code')
      if (expression.type === 'ArithmeticCommandExpansion' && expression.script !== undefined) {
        place.substitute(expression.script, place)
      }
  }
}

function checkOperator(operator: string, text: string, place: Place): void {
  if (SAFE_OPERATOR.has(operator)) return
  refuse(place.inquiry, 'assigning arithmetic', text, `assigns with \`${operator}\`; use x=$((x + 1))`)
}

function checkNumber(value: string, parts: readonly WordPart[] | undefined, text: string, place: Place): void {
  if (parts === undefined) {
    if (/^(?:0[xX][\da-fA-F]{1,15}|\d{1,15})$/.test(value)) return
    if (/^[A-Za-z_]\w*$/.test(value) && lookUp(place.scope, value).numeric) return
    refuse(
      place.inquiry,
      'computed arithmetic',
      text,
      `evaluates \`${value}\` as code; only numbers are known to be safe`,
    )
    return
  }
  for (const part of parts) {
    const isParameter = part.type === 'SimpleExpansion' || part.type === 'ParameterExpansion'
    if (isParameter && parameterKnowledge(part, place).numeric) continue
    if (part.type === 'ArithmeticExpansion') arithmeticKnowledge(part, place)
    else if (part.type !== 'Literal' || !/^\d{1,15}$/.test(part.value)) {
      refuse(place.inquiry, 'computed arithmetic', text, 'evaluates a value as code; only numbers are known to be safe')
      if (part.type === 'CommandExpansion' && part.script !== undefined) place.substitute(part.script, place)
    }
  }
}
