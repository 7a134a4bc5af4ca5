import { groupBy } from '../../group-by.ts'
import { version } from '../../version.ts'
import type { Tag } from '../about/about.ts'
import { routes } from '../routes.ts'
import type { Told } from './formats.ts'
import { headers } from './headers.ts'
import { named } from './names.ts'
import { operation, pathOf } from './operation.ts'
import { refusalExamples, sharedRefusals } from './refusals.ts'
import { createSchemaWriter, type Part, type SchemaWriter } from './schema.ts'
import { webhooksOf } from './webhooks.ts'

/** The description of the API for machines: OpenAPI 3.1, made of the routes and of the schemas that they judge by. */
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
  'Every answer is `{"success": true, "data": …}` or `{"success": false, "error": {"code", "message", "statusCode", "requestId"}}`; programs read `code`.',
  'Every write needs an `X-Idempotency-Key`; use the same one for every retry of one operation.',
  'Lists answer pages: go on with `page` until `hasMore` is false.',
  'An operation refuses query parameters that it does not describe, and ignores body fields that it does not describe.',
  'A path that does not exist, and a method that a path does not have, is 404 ENDPOINT_NOT_FOUND, the latter with an `Allow` header.',
].join('\n\n')

const tags: Record<Tag, string> = {
  'Payment intents': 'One payment each: create, read, cancel, refund.',
  'Webhook endpoints': 'Your receivers of events.',
  'Webhook deliveries': 'Events on their way to your receivers.',
  Products: 'What your shop sells, and its stock.',
  Orders: 'What was sold.',
}

const apiKey: Part = {
  type: 'http',
  scheme: 'bearer',
  description:
    'A test key (`sk_test_…`) works in the sandbox, where no money moves; a live key (`sk_live_…`) with real money. Publishable keys (`pk_…`) can only read one intent.',
}

const idempotencyKey: Part = {
  name: 'X-Idempotency-Key',
  in: 'header',
  required: true,
  description: 'One for each operation, the same for all its retries. A UUID v4 is a good one.',
  schema: { type: 'string', minLength: 1, maxLength: 255, pattern: String.raw`\S` },
}

const pathsOf = (writer: SchemaWriter): Part =>
  Object.fromEntries(
    [...groupBy(routes, pathOf)].map(([path, some]) => [
      path,
      Object.fromEntries(some.map((route) => [route.method, operation(writer, route)])),
    ]),
  )
