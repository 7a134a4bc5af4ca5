import { formatsFor, type Told } from './formats.ts'
import { nameOf } from './names.ts'

/** A part of the description. */
export type Part = Record<string, unknown>

/** Translates a schema of schemas/ to OpenAPI 3.1. `say` refers to a named schema by its name; `define` always writes the schema out. */
export interface SchemaWriter {
  say(schema: object): Part
  define(schema: object): Part
}

/** Keywords whose value is a schema or a list of schemas. */
const nesting = [
  'items',
  'propertyNames',
  'additionalProperties',
  'if',
  'then',
  'else',
  'not',
  'oneOf',
  'anyOf',
]

export function createSchemaWriter(told: Told): SchemaWriter {
  const formats = formatsFor(told)

  const say = (schema: object): Part => {
    const name = nameOf(schema)
    return name === undefined ? define(schema) : { $ref: `#/components/schemas/${name}` }
  }

  const define = (schema: object): Part =>
    withWidth(
      Object.assign({}, ...Object.entries(withType(schema)).map(([word, value]) => write(word, value))),
    )

  const sayEach = (schemas: object): Part =>
    Object.fromEntries(Object.entries(schemas).map(([name, schema]) => [name, say(schema)]))

  const write = (word: string, value: unknown): Part => {
    if (word === '$schema' || word === 'says') return {}
    // Later versions may add fields, so clients must accept fields that they do not know.
    if (word === 'additionalProperties' && value === false) return {}
    if (word === 'errorCodes') return { 'x-error-codes': [...new Set(Object.values(value as object))] }
    if (word === 'format') return formatSaid(String(value))
    if (word === 'properties') return { properties: sayEach(value as object) }
    // The name in JSON Schema since 2019.
    if (word === 'dependencies') return { dependentSchemas: sayEach(value as object) }
    if (!nesting.includes(word) || typeof value === 'boolean') return { [word]: value }
    return { [word]: Array.isArray(value) ? value.map(say) : say(value as object) }
  }

  const formatSaid = (format: string): Part => {
    const said = formats[format]
    if (said === undefined) throw new Error(`the format ${format} is not described (formats.ts)`)
    return { ...said }
  }

  return { say, define }
}

/** Code generators choose the type of a number by its width, so every number needs a maximum. */
function withWidth(schema: Part): Part {
  const { minimum, maximum } = schema as { minimum?: number; maximum?: number }
  if (minimum === undefined || maximum === undefined) return schema
  return { ...schema, format: minimum >= -(2 ** 31) && maximum < 2 ** 31 ? 'int32' : 'int64' }
}

/** Code generators need a type even where the values imply it. */
function withType(schema: object): object {
  if ('type' in schema) return schema
  const values = 'enum' in schema ? (schema.enum as unknown[]) : 'const' in schema ? [schema.const] : []
  if (values.length === 0) return schema
  const types = new Set(values.map((value) => (typeof value === 'number' ? 'integer' : typeof value)))
  return types.size === 1 ? { type: [...types][0], ...schema } : schema
}
