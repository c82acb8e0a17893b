/** A caller's messages as the request that one of the array formats reads. */
import { SpillwayError } from '../core/errors.ts'
import type { JsonObject, JsonValue } from '../core/transcript.ts'
import { type ArrayFormat, itemsOf } from '../formats/array-format.ts'
import { ARRAY_FORMATS, arrayFormatOf } from '../formats/array-formats.ts'
import { fieldsOf, textOf } from '../formats/fields.ts'
import { type FitOptions, SHAPES } from './fit-options.ts'

export interface Shaped {
  readonly format: ArrayFormat
  /** Undefined where nobody named one. */
  readonly model: string | undefined
  /** The request that holds these messages. */
  holding(items: readonly unknown[]): JsonValue
  /** The messages of such a request. */
  itemsIn(request: JsonValue): readonly unknown[]
}

/** Reasoning in a request to OpenAI's APIs is never Anthropic's, whatever the model is called. */
const OPENAI_MODEL = 'gpt'

/** @throws SpillwayError `usage` for messages of no known shape */
export function shapeOf(messages: readonly unknown[], { shape, model }: FitOptions): Shaped {
  const format = shape === undefined ? detected(messages, model) : ARRAY_FORMATS.find(({ name }) => name === shape)
  if (!format) {
    const problem = shape === undefined ? 'messages: of no known shape, or of several mixed' : `shape: no "${shape}"`
    throw new SpillwayError('usage', `${problem}; the shapes are ${SHAPES.join(', ')}`)
  }
  const key = format.name === 'responses' ? 'input' : 'messages'
  return {
    format,
    model,
    holding: (items) =>
      ({ [key]: items as readonly JsonValue[], ...(model === undefined ? {} : { model }) }) as JsonObject,
    itemsIn: (request) => itemsOf(request, key) ?? [],
  }
}

function detected(messages: readonly unknown[], model: string | undefined): ArrayFormat | undefined {
  return arrayFormatOf(messages as readonly JsonValue[], model)
}

/** The model whose rules about thinking hold. */
export function readerOf({ format, model }: Shaped): string | undefined {
  return model ?? (format.name === 'chat' || format.name === 'responses' ? OPENAI_MODEL : undefined)
}

/** Texts of a system prompt: a string, or blocks with texts. */
export function systemTexts(system: unknown): string[] {
  if (typeof system === 'string') return system === '' ? [] : [system]
  if (Array.isArray(system)) return system.flatMap(systemTexts)
  const fields = fieldsOf(system)
  return [fields?.text, fields?.content].flatMap((text) =>
    Array.isArray(text) ? systemTexts(text) : (textOf(text) ?? []),
  )
}

/** Models whose chat templates refuse a user message behind a tool's result (F15). */
const NO_USER_BEHIND_TOOL = /mistral|mixtral|codestral|devstral|magistral|ministral/i

export function refusesUserBehindTool({ format, model }: Shaped): boolean {
  return format.name === 'chat' && model !== undefined && NO_USER_BEHIND_TOOL.test(model)
}

/** Tools of the AI SDK whose schema is a library's object (zod and its kin): what goes to the model is its JSON schema. */
export function measurable(tools: unknown): unknown {
  const named = fieldsOf(tools)
  if (!named) return tools
  return Object.fromEntries(
    Object.entries(named).map(([name, tool]) => {
      const fields = fieldsOf(tool)
      const schema = jsonSchemaOf(fields?.inputSchema)
      return [name, schema === undefined ? tool : { ...fields, inputSchema: { jsonSchema: schema } }]
    }),
  )
}

/** As the standard for such libraries has it (standardschema.dev); undefined where one does not say. */
function jsonSchemaOf(schema: unknown): unknown {
  const input = fieldsOf(fieldsOf(fieldsOf(schema)?.['~standard'])?.jsonSchema)?.input
  if (typeof input !== 'function') return undefined
  try {
    return input({ target: 'draft-07' }) as unknown
  } catch {
    // No JSON schema can say it: the tool counts without one, and whoever sends it gets the library's own error.
    return undefined
  }
}
