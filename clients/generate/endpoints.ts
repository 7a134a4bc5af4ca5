import { type Operation, openapi, operations } from '../../dev/openapi-document.ts'
import { csvParams } from '../../schemas/delimiter.ts'

export interface Schema {
  type?: string | string[]
  description?: string
  const?: unknown
  enum?: unknown[]
  properties?: Record<string, Schema>
  required?: string[]
  additionalProperties?: boolean | Schema
  items?: Schema
  oneOf?: Schema[]
  anyOf?: Schema[]
  $ref?: string
}

export interface Field {
  name: string
  in: 'path' | 'query' | 'body'
  schema: Schema
  required: boolean
  description: string | undefined
}

type Contents = { content?: Record<string, { schema?: Schema }> }

/** What the Python and PHP packages need to know of each operation. */
export const endpoints = operations.map((operation) => {
  const { operationId: id, method, path, summary, description } = operation
  const body = (operation.requestBody as Contents | undefined)?.content?.['application/json']?.schema
  const responses = operation.responses as Record<string, Contents>
  const success = responses['200'] ?? responses['201']
  const json = success?.content?.['application/json']?.schema
  const fields = [...fieldsIn(sentParameters(operation)), ...(body ? bodyFieldsOf(resolved(body)) : [])]
  const names = fields.map(({ name }) => name)
  if (new Set(names).size < names.length) throw new Error(`${id} has two fields with the same name`)
  const data = json && resolved(json).properties?.data
  return {
    id,
    method,
    path,
    fields,
    data,
    isFile: data === undefined,
    hasBody: body !== undefined,
    text: [`${summary}.`, ...description.split('\n\n')],
    item: data && names.includes('page') ? resolved(data).properties?.items?.items : undefined,
  }
})

export type Endpoint = (typeof endpoints)[number]

export function resolved(schema: Schema): Schema {
  const schemas = openapi.components.schemas as Record<string, Schema>
  return schema.$ref ? (schemas[nameOf(schema.$ref)] ?? {}) : schema
}

export function nameOf($ref: string): string {
  return $ref.slice($ref.lastIndexOf('/') + 1)
}

export const eventNames = Object.keys(openapi.webhooks)
export const eventSchemas: Schema[] = Object.values(openapi.webhooks).map(
  ({ post }) => post.requestBody.content['application/json'].schema,
)

/** The type of a schema without `null`, and whether `null` is one of its values. */
export function withoutNull(schema: Schema): [Schema, boolean] {
  const types = [schema.type ?? []].flat()
  const options = schema.oneOf ?? schema.anyOf
  const kept = options?.filter(({ type }) => type !== 'null')
  if (options && kept && kept.length < options.length)
    return [kept.length === 1 && kept[0] ? kept[0] : { oneOf: kept }, true]
  if (!types.includes('null') || types.length === 1) return [schema, false]
  const type = types.filter((each) => each !== 'null')
  return [
    { ...schema, type, ...(schema.enum && { enum: schema.enum.filter((each) => each !== null) }) },
    true,
  ]
}

/** Where the service can return JSON, the clients never ask for CSV. */
export function sentParameters({ parameters, responses }: Operation): Operation['parameters'] {
  const unsent: readonly string[] = responses['200']?.content?.['application/json'] ? csvParams : []
  return parameters.filter(({ name = '' }) => !unsent.includes(name))
}

function fieldsIn(parameters: Operation['parameters']): Field[] {
  return parameters.flatMap((each) => {
    const {
      name,
      in: place,
      description,
      schema = {},
      required = false,
    } = each as typeof each & Partial<Field>
    // The idempotency key has its own argument.
    return name && (place === 'path' || place === 'query')
      ? [{ name, in: place, schema, required, description }]
      : []
  })
}

function bodyFieldsOf({ properties = {}, required = [] }: Schema): Field[] {
  return Object.entries(properties).map(([name, schema]) => ({
    name,
    schema,
    in: 'body' as const,
    required: required.includes(name),
    description: schema.description,
  }))
}

/** Breaks text into lines of at most `width` characters. */
export const wrap = (text: string, width: number): string[] =>
  text.match(new RegExp(`\\S(.{0,${width - 2}}\\S)?(?=\\s|$)|\\S+`, 'g')) ?? []
