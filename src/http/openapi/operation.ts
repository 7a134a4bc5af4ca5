import { noNulPattern } from '../../../schemas/responses/fields.ts'
import { requiresField } from '../../input/known-fields.ts'
import { maxBodyBytes } from '../body/read-body.ts'
import { isBrowserRoute, type Route, scopesOfRoute, type WriteRoute } from '../operations/route.ts'
import examples from './examples.json' with { type: 'json' }
import { describeErrors, describeResponseHeaders, fileNameHeader } from './responses.ts'
import type { OpenApiPart, SchemaWriter } from './schemas.ts'

/** The examples are recorded by test/api/examples.test.ts. */
export interface OpenApiExample {
  params?: Record<string, string>
  query?: Record<string, string>
  body?: unknown
  response?: unknown
  /** `csv` and `lines` are the same response in two other formats. */
  csv?: string
  lines?: string
}

const recorded: Record<string, OpenApiExample> = examples.operations

export const openApiPath = ({ path }: Pick<Route, 'path'>): string => path.replaceAll(/:(\w+)/g, '{$1}')

export function toOpenApiOperation(writer: SchemaWriter, route: Route): OpenApiPart {
  const example = recorded[route.operationId] ?? {}
  const isWrite = route.method !== 'get'
  return {
    operationId: route.operationId,
    tags: [route.tag],
    summary: route.summary,
    description: [route.description, route.deprecated?.instead, requiredKey(route)]
      .filter(Boolean)
      .join('\n\n'),
    deprecated: route.deprecated && true,
    security: scopesOfRoute(route).map((scope) => ({ apiKey: [scope] })),
    parameters: [
      ...parametersIn(writer, 'path', route.params, example.params),
      ...parametersIn(writer, 'query', route.query?.properties, example.query),
      ...(isWrite ? [{ $ref: '#/components/parameters/IdempotencyKey' }] : []),
    ],
    requestBody: isWrite ? bodyOf(writer, route, example) : undefined,
    responses: {
      ...Object.fromEntries(statusesOf(route).map((status) => [status, success(writer, route, example)])),
      ...describeErrors(route),
    },
  }
}

function statusesOf(route: Route): number[] {
  if (route.method === 'get' || route.status === undefined) return [200]
  return route.hasDryRun ? [200, route.status] : [route.status]
}

function requiredKey(route: Route): string {
  const kind = isBrowserRoute(route) ? '' : 'secret '
  const scopes = scopesOfRoute(route).map((scope) => `\`${scope}\``)
  const noun = scopes.length === 1 ? 'the scope' : 'any of the scopes'
  return `Requires a ${kind}${route.sandboxOnly ? 'test ' : ''}key with ${noun} ${scopes.join(', ')}.`
}

const parametersIn = (
  writer: SchemaWriter,
  location: 'path' | 'query',
  schemas: Record<string, object> = {},
  texts: Record<string, string> = {},
): OpenApiPart[] =>
  Object.entries<object>(schemas).map(([name, whole]) => {
    const { description, ...schema } = writer.refer(whole)
    const text = texts[name]
    const example = schema.type === 'integer' && text !== undefined ? Number(text) : text
    return { name, in: location, required: location === 'path', description, schema, example }
  })

function bodyOf(writer: SchemaWriter, { body, readsCsv }: WriteRoute, example: OpenApiExample) {
  if (body === undefined) return
  return {
    required: requiresField(body),
    content: {
      ...(readsCsv && csvContent(example.body as { csv: string } | undefined)),
      'application/json': { schema: writer.refer(body), example: example.body },
    },
  }
}

const csvFile = { type: 'string', minLength: 1, maxLength: maxBodyBytes.csv, pattern: noNulPattern }

const csvContent = (example: { csv: string } | undefined): OpenApiPart => ({
  'text/csv': { schema: csvFile, example: example?.csv },
  'multipart/form-data': {
    schema: {
      type: 'object',
      required: ['file'],
      additionalProperties: false,
      properties: { file: { ...csvFile, contentMediaType: 'text/csv' } },
    },
  },
})

function success(writer: SchemaWriter, route: Route, example: OpenApiExample): OpenApiPart {
  const headers = describeResponseHeaders(route)
  if ('download' in route)
    return {
      description: 'The file.',
      headers: { ...headers, ...fileNameHeader('The suggested file name.') },
      content: {
        'text/csv': { schema: writer.refer(route.response), example: example.response },
        'application/x-ndjson': route.lines && { schema: writer.refer(route.lines), example: example.lines },
      },
    }
  const hasCsv = 'toCsv' in route
  return {
    description: hasCsv ? 'Success. The `Accept` header selects JSON or CSV.' : 'Success.',
    headers: { ...headers, ...(hasCsv && fileNameHeader('The suggested name for the CSV file.')) },
    content: {
      'text/csv': hasCsv ? { schema: csvText, example: example.csv } : undefined,
      'application/json': {
        schema: {
          type: 'object',
          required: ['success', 'data'],
          properties: { success: { type: 'boolean', const: true }, data: writer.refer(route.response) },
        },
        example: { success: true, data: example.response },
      },
    },
  }
}

const csvText = { type: 'string', maxLength: 100_000, pattern: noNulPattern }
