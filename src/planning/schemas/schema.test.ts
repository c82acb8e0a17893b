import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { JsonObject, JsonValue } from '../../core/transcript.ts'
import { dietSchema } from './schema.ts'

const ANNOTATED = {
  title: 'T',
  $comment: 'c',
  default: 5,
  examples: [1],
  example: 1,
  deprecated: false,
  readOnly: true,
  writeOnly: false,
  externalDocs: { url: 'x' },
  description: 'First here. Second there.',
  minimum: 1,
  maximum: 9,
}
const SLIM = { description: 'First here.', minimum: 1, maximum: 9 }

const PLACES: Readonly<Record<string, (schema: JsonValue) => JsonObject>> = {
  ...Object.fromEntries(
    ['anyOf', 'oneOf', 'allOf', 'prefixItems', 'items'].map((key) => [
      `${key} list`,
      (schema: JsonValue) => ({ [key]: [schema, true] }),
    ]),
  ),
  ...Object.fromEntries(
    [
      'items',
      'not',
      'if',
      'then',
      'else',
      'contains',
      'additionalItems',
      'additionalProperties',
      'unevaluatedItems',
      'unevaluatedProperties',
      'propertyNames',
      'contentSchema',
    ].map((key) => [key, (schema: JsonValue) => ({ [key]: schema })]),
  ),
  ...Object.fromEntries(
    ['properties', 'patternProperties', '$defs', 'definitions', 'dependentSchemas', 'dependencies'].map((key) => [
      key,
      (schema: JsonValue) => ({ [key]: { title: schema, default: schema, other: true } }),
    ]),
  ),
}

describe('the diet of a schema', () => {
  it('drops annotations and cuts descriptions, and keeps what validates', () => {
    expect(dietSchema({ type: 'integer', ...ANNOTATED })).toEqual({ type: 'integer', ...SLIM })
    const kept = {
      $schema: 'https://json-schema.org/draft/2020-12/schema',
      type: ['string', 'null'],
      enum: ['a', 'title'],
      const: { title: 'data', examples: [] },
      format: 'date',
      pattern: '^a. B',
      minLength: 1,
      required: ['title', 'default'],
      dependentRequired: { title: ['default'] },
      $ref: '#/$defs/title',
      'x-vendor': { title: 'kept' },
    }
    expect(dietSchema(kept)).toBe(kept)
  })

  it.each(Object.entries(PLACES))('goes through %s', (_, place) => {
    const schema = place({ ...ANNOTATED, properties: { title: { type: 'string', title: 'Title' } } })
    const slim = place({ ...SLIM, properties: { title: { type: 'string' } } })
    expect(dietSchema(schema)).toEqual(slim)
  })

  it.each([
    ['Path, e.g. /tmp/x. Must exist. It is nice.', 'Path, e.g. /tmp/x. Must exist.'],
    ['The day. Format YYYY-MM-DD. Shown to people.', 'The day. Format YYYY-MM-DD.'],
    ['How many. People like round ones. Between 1 and 50.', 'How many. Between 1 and 50.'],
    ['The mode. Added lately. One of:\n- fast\n- slow', 'The mode. One of:\n- fast\n- slow'],
    ['文件路径。很常用。必须是绝对路径。', '文件路径。必须是绝对路径。'],
    ['The name. For example "max".', 'The name.'],
    ['   ', undefined],
  ])('of %j keeps %j', (description, kept) => {
    expect(dietSchema({ description })).toEqual(kept === undefined ? {} : { description: kept })
  })

  it('leaves a description that is no text, and a property of that name', () => {
    const schema = { properties: { description: { type: 'string' } }, description: { odd: true } }
    expect(dietSchema(schema)).toBe(schema)
  })

  it('survives deep nesting and a property named __proto__', () => {
    let deep: JsonValue = { title: 'x' }
    for (let depth = 0; depth < 100_000; depth++) deep = { items: deep }
    expect(() => dietSchema(deep)).not.toThrow()
    const schema = JSON.parse('{"properties":{"__proto__":{"title":"x","type":"string"}}}') as JsonValue
    expect(JSON.stringify(dietSchema(schema))).toBe('{"properties":{"__proto__":{"type":"string"}}}')
  })
})

const SENTENCES = [
  'First. ',
  'It must be so. ',
  'Nice to have.\n',
  'One of:\n- a\n- b\n',
  'lower case. ',
  'e.g. this. ',
  '必须。很好。',
  '\n\n',
  '- item. More\n',
  'no. ',
  '5 of them ',
  'Intro:\n\n',
]
const words = fc.array(fc.constantFrom(...SENTENCES), { maxLength: 8 }).map((sentences) => sentences.join(''))
const { schema: anySchema } = fc.letrec<{ schema: JsonValue }>((tie) => ({
  schema: fc.oneof(
    { maxDepth: 4, withCrossShrink: true },
    fc.constantFrom<JsonValue>({ type: 'string' }, true, { enum: [{ title: 'x' }] }),
    fc.dictionary(
      fc.constantFrom('description', 'title', 'default', 'examples', 'type', 'required', 'format', 'x'),
      fc.oneof(words, fc.jsonValue() as fc.Arbitrary<JsonValue>),
    ) as fc.Arbitrary<JsonValue>,
    fc.record(
      {
        description: words,
        title: words,
        type: fc.constant('object'),
        required: fc.constant(['title']),
        properties: fc.dictionary(fc.constantFrom('title', 'default', 'description', 'a'), tie('schema')),
        $defs: fc.dictionary(fc.constantFrom('title', 'b'), tie('schema')),
        anyOf: fc.array(tie('schema'), { maxLength: 3 }),
        items: tie('schema'),
        not: tie('schema'),
      },
      { requiredKeys: [] },
    ) as fc.Arbitrary<JsonValue>,
  ),
}))

describe('the diet, whatever the schema', () => {
  it('is idempotent, never larger, and leaves its input alone', () => {
    fc.assert(
      fc.property(anySchema, (schema) => {
        const before = JSON.stringify(schema)
        const slim = dietSchema(schema)
        expect(JSON.stringify(schema)).toBe(before)
        expect(JSON.stringify(slim).length).toBeLessThanOrEqual(before.length)
        expect(dietSchema(slim)).toBe(slim)
      }),
      { numRuns: 500 },
    )
  })

  it('keeps every property, in every place, with its type and what is required', () => {
    const namesIn = (schema: JsonValue): string[] => {
      const names: string[] = []
      const visit = (node: JsonValue, path: string): void => {
        if (typeof node !== 'object' || node === null) return
        if (Array.isArray(node)) {
          for (const [index, item] of node.entries()) visit(item as JsonValue, `${path}/${index}`)
          return
        }
        const fields = node as JsonObject
        names.push(`${path} ${JSON.stringify([fields.type, fields.required, fields.enum, fields.format])}`)
        for (const key of ['anyOf', 'items', 'not']) if (fields[key] !== undefined) visit(fields[key], `${path}/${key}`)
        for (const key of ['properties', '$defs']) {
          for (const [name, value] of Object.entries((fields[key] ?? {}) as JsonObject))
            visit(value, `${path}/${key}/${name}`)
        }
      }
      visit(schema, '')
      return names
    }
    fc.assert(
      fc.property(anySchema, (schema) => {
        expect(namesIn(dietSchema(schema))).toEqual(namesIn(schema))
      }),
    )
  })
})
