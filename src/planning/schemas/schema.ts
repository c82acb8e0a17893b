/**
 * The diet of one JSON Schema (seed C4): what only annotates is dropped and descriptions are cut; what validates is
 * not touched, at any depth.
 */
import type { JsonObject, JsonValue } from '../../core/transcript.ts'
import { sentencesOf } from './sentences.ts'
import { statesConstraint } from './statements.ts'

/** The meta-data vocabulary of JSON Schema without `description`, and what OpenAPI adds to it. */
const ANNOTATIONS: ReadonlySet<string> = new Set([
  'title',
  'default',
  'examples',
  'example',
  '$comment',
  'deprecated',
  'readOnly',
  'writeOnly',
  'externalDocs',
])

/** Keywords whose value is a schema, or a list of schemas. */
const SCHEMAS: ReadonlySet<string> = new Set([
  'anyOf',
  'oneOf',
  'allOf',
  'not',
  'if',
  'then',
  'else',
  'items',
  'prefixItems',
  'additionalItems',
  'unevaluatedItems',
  'contains',
  'additionalProperties',
  'unevaluatedProperties',
  'propertyNames',
  'contentSchema',
])

/** Keywords whose value maps names, which mean nothing here, to schemas. */
const NAMED_SCHEMAS: ReadonlySet<string> = new Set([
  'properties',
  'patternProperties',
  '$defs',
  'definitions',
  'dependentSchemas',
  'dependencies',
])

/** Deeper schemas are no tool's, and would exhaust the stack: they stay as they are. */
const MOST_NESTING = 200

/**
 * The schema without annotations, its descriptions cut to the first sentence and those that state a constraint. The
 * same object where nothing leaves; never larger, never modified, and the diet of a diet is itself.
 */
export function dietSchema(schema: JsonValue): JsonValue {
  return slimmed(schema, 0)
}

function slimmed(schema: JsonValue, depth: number): JsonValue {
  if (typeof schema !== 'object' || schema === null || depth > MOST_NESTING) return schema
  if (Array.isArray(schema)) return sameUnlessChanged(schema, (item) => slimmed(item, depth + 1))
  const entries = Object.entries(schema as JsonObject).flatMap(([key, value]): [string, JsonValue][] => {
    if (ANNOTATIONS.has(key)) return []
    if (key === 'description' && typeof value === 'string') {
      const kept = dietDescription(value)
      return kept === '' ? [] : [[key, kept]]
    }
    if (SCHEMAS.has(key)) return [[key, slimmed(value, depth + 1)]]
    return [[key, NAMED_SCHEMAS.has(key) ? slimmedNames(value, depth + 1) : value]]
  })
  return changedObject(schema as JsonObject, entries)
}

function slimmedNames(map: JsonValue, depth: number): JsonValue {
  if (typeof map !== 'object' || map === null || Array.isArray(map)) return map
  return changedObject(
    map as JsonObject,
    Object.entries(map as JsonObject).map(([name, schema]) => [name, slimmed(schema, depth)]),
  )
}

/** Once is enough for what people write; a sentence may begin elsewhere once another has left before it. */
const MOST_PASSES = 10

/** The first sentence and, of the others, those that state a constraint. */
export function dietDescription(text: string): string {
  let slim = shortened(text)
  for (let pass = 1; pass < MOST_PASSES; pass++) {
    const again = shortened(slim)
    if (again === slim) break
    slim = again
  }
  return slim
}

/** What began a line still does. */
function shortened(text: string): string {
  const [first = '', ...others] = sentencesOf(text.trim())
  let before = first
  let slim = first
  for (const sentence of others) {
    const isLine = before.endsWith('\n')
    before = sentence
    if (!statesConstraint(sentence)) continue
    slim += isLine && !slim.endsWith('\n') ? `\n${sentence}` : sentence
  }
  return slim.trim()
}

function sameUnlessChanged(list: readonly JsonValue[], change: (item: JsonValue) => JsonValue): readonly JsonValue[] {
  const changed = list.map(change)
  return changed.every((item, index) => item === list[index]) ? list : changed
}

/** `Object.fromEntries` keeps a property named `__proto__` an ordinary one. */
function changedObject(before: JsonObject, entries: readonly (readonly [string, JsonValue])[]): JsonObject {
  const isSame = entries.length === Object.keys(before).length && entries.every(([key, value]) => before[key] === value)
  return isSame ? before : Object.fromEntries(entries)
}
