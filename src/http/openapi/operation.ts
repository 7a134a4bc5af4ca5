import { withoutNul } from '../../../schemas/responses/fields.ts'
import { needsField } from '../../input/known-fields.ts'
import { maxBodyBytes } from '../body/read-body.ts'
import { isForBrowsers, type Route, scopesOf, type WriteRoute } from '../operations/route.ts'
import { headersOf } from './headers.ts'
import { refusalsOf } from './refusals.ts'
import type { Part, SchemaWriter } from './schema.ts'

/**
 * Converts an Express path to an OpenAPI path: `/dev/intents/:referenceNumber` becomes
 * `/dev/intents/{referenceNumber}`.
 */
export const pathOf = ({ path }: Pick<Route, 'path'>): string => path.replaceAll(/:(\w+)/g, '{$1}')

/** Returns the OpenAPI description of one operation. */
export function operation(writer: SchemaWriter, route: Route): Part {
  const { about } = route
  const isWrite = route.method !== 'get'
  const body = isWrite ? bodyOf(writer, route) : null
  return {
    operationId: about.operationId,
    tags: [about.tag],
    summary: about.summary,
    description: `${about.description}\n\n${requiredKey(route)}`,
    security: scopesOf(route).map((scope) => ({ apiKey: [scope] })),
    parameters: [
      ...parametersIn(writer, 'path', about.params, about.example.params),
      ...parametersIn(
        writer,
        'query',
        (about.query as { properties?: Record<string, object> } | undefined)?.properties,
        about.example.query,
      ),
      ...(isWrite ? [{ $ref: '#/components/parameters/IdempotencyKey' }] : []),
    ],
    ...(body === null ? {} : { requestBody: body }),
    responses: {
      ...Object.fromEntries(statusesOf(route).map((status) => [status, success(writer, route)])),
      ...refusalsOf(route),
    },
  }
}

function statusesOf(route: Route): number[] {
  if (route.method === 'get' || route.status === undefined) return [200]
  return route.hasDryRun ? [200, route.status] : [route.status]
}

function requiredKey(route: Route): string {
  const kind = isForBrowsers(route) ? '' : 'secret '
  const scopes = scopesOf(route).map((scope) => `\`${scope}\``)
  const noun = scopes.length === 1 ? 'the scope' : 'any of the scopes'
  return `Requires a ${kind}${route.sandboxOnly ? 'test ' : ''}key with ${noun} ${scopes.join(', ')}.`
}

/**
 * Returns the parameters of a location, with the descriptions of their schemas. `texts` are example values as a URL has
 * them, and are converted to the type of their schema.
 */
const parametersIn = (
  writer: SchemaWriter,
  location: 'path' | 'query',
  schemas: Record<string, object> = {},
  texts: Record<string, string> = {},
): Part[] =>
  Object.entries<object>(schemas).map(([name, whole]) => {
    const { description, ...schema } = writer.refer(whole)
    const text = texts[name]
    const example = text === undefined ? {} : { example: schema.type === 'integer' ? Number(text) : text }
    const described = description === undefined ? {} : { description }
    return { name, in: location, required: location === 'path', ...described, schema, ...example }
  })

function bodyOf(writer: SchemaWriter, { body, about }: WriteRoute): Part | null {
  if (about.body === undefined) return null
  const json = { schema: writer.refer(about.body), example: about.example.body }
  return {
    required: needsField(about.body),
    content: {
      ...(body === 'csv' ? csvContent(about.example.body as { csv: string }) : {}),
      'application/json': json,
    },
  }
}

const csvFile: Part = { type: 'string', minLength: 1, maxLength: maxBodyBytes.csv, pattern: withoutNul }

/** Describes the two ways to send a file without JSON: as the body itself, or in a form. */
const csvContent = ({ csv }: { csv: string }): Part => ({
  'text/csv': { schema: csvFile, example: csv },
  'multipart/form-data': {
    schema: {
      type: 'object',
      required: ['file'],
      additionalProperties: false,
      properties: { file: { ...csvFile, contentMediaType: 'text/csv' } },
    },
  },
})

function success(writer: SchemaWriter, route: Route): Part {
  const { response, example, lines } = route.about
  const headers = headersOf(route)
  if ('download' in route)
    return {
      description: 'The file.',
      headers: { ...headers, ...fileName('The suggested name of the file.') },
      content: {
        'text/csv': { schema: writer.refer(response), example: example.response },
        ...(lines === undefined
          ? {}
          : { 'application/x-ndjson': { schema: writer.refer(lines.schema), example: lines.example } }),
      },
    }
  const asCsv = example.csv === undefined ? null : { schema: csvText, example: example.csv }
  return {
    description: asCsv === null ? 'Success.' : 'Success. The `Accept` header chooses JSON or CSV.',
    headers: asCsv === null ? headers : { ...headers, ...fileName('The suggested name of the CSV file.') },
    content: {
      ...(asCsv === null ? {} : { 'text/csv': asCsv }),
      'application/json': {
        schema: {
          type: 'object',
          required: ['success', 'data'],
          properties: { success: { type: 'boolean', const: true }, data: writer.refer(response) },
        },
        example: { success: true, data: example.response },
      },
    },
  }
}

const csvText: Part = { type: 'string', maxLength: 100_000, pattern: withoutNul }

const fileName = (description: string): Part => ({
  'Content-Disposition': {
    description,
    schema: { type: 'string', maxLength: 200, pattern: '^attachment; ' },
  },
})
