import { groupBy } from '../../polyfills/group-by.ts'
import { version } from '../../version.ts'
import type { Tag } from '../routes/openapi-text.ts'
import { routes } from '../routes/routes.ts'
import type { Told } from './formats.ts'
import { headers } from './headers.ts'
import { named } from './names.ts'
import { operation, pathOf } from './operation.ts'
import { refusalExamples, sharedRefusals } from './refusals.ts'
import { createSchemaWriter, type Part, type SchemaWriter } from './schema.ts'
import { webhooksOf } from './webhooks.ts'

/** The OpenAPI 3.1 description, generated from the routes and the schemas that validate their requests. */
export function describeApi(told: Told): Part {
  const writer = createSchemaWriter(told)
  return {
    openapi: '3.1.0',
    info: {
      title: 'Payment intents',
      version,
      description: about,
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: `${told.publicUrl}/api/v1`, 'x-internal': false }],
    tags: Object.entries(tags).map(([name, description]) => ({ name, description })),
    security: [{ apiKey: [] }],
    paths: pathsOf(writer),
    webhooks: webhooksOf(writer, told),
    components: {
      securitySchemes: { apiKey },
      parameters: { IdempotencyKey: idempotencyKey },
      headers,
      responses: sharedRefusals(),
      examples: refusalExamples(),
      schemas: Object.fromEntries(
        Object.entries(named).map(([name, schema]) => [name, writer.define(schema)]),
      ),
    },
  }
}

const about = [
  'Payments in MRU. Amounts are integers in centimes: 50000 is 500.00 MRU.',
  'Every response is `{"success": true, "data": …}` or `{"success": false, "error": {"code", "message", "statusCode", "requestId"}}`. Programs read `code`.',
  'Every write needs an `X-Idempotency-Key`. Use the same key for every retry of one operation.',
  'Lists return pages. Increase `page` until `hasMore` is false.',
  'An operation refuses query parameters that it does not describe, and ignores body fields that it does not describe.',
  'An unknown path, or a method that the path does not support, gets 404 ENDPOINT_NOT_FOUND. For an unsupported method the response has an `Allow` header.',
].join('\n\n')

const tags: Record<Tag, string> = {
  'Payment intents': 'One payment each: create, read, cancel, refund.',
  'Webhook endpoints': 'The URLs to which your events are sent.',
  'Webhook deliveries': 'One event for one endpoint, with its attempts.',
  Products: 'What your shop sells, and its stock.',
  Orders: 'What was sold.',
}

const apiKey: Part = {
  type: 'http',
  scheme: 'bearer',
  description:
    'A test key (`sk_test_…`) works in the sandbox, where no money moves. A live key (`sk_live_…`) moves real money. A publishable key (`pk_…`) can only read one intent.',
}

const idempotencyKey: Part = {
  name: 'X-Idempotency-Key',
  in: 'header',
  required: true,
  description: 'A new key for each operation, the same key for all its retries. A UUID v4 works well.',
  schema: { type: 'string', minLength: 1, maxLength: 255, pattern: String.raw`\S` },
}

const pathsOf = (writer: SchemaWriter): Part =>
  Object.fromEntries(
    [...groupBy(routes, pathOf)].map(([path, some]) => [
      path,
      Object.fromEntries(some.map((route) => [route.method, operation(writer, route)])),
    ]),
  )
