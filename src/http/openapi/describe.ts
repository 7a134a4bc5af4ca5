import { currencyCode, formatCentimes } from '../../../schemas/currency.ts'
import { packageVersion } from '../../platform/version.ts'
import { omitUndefined } from '../../platform/without-undefined.ts'
import { apiSections } from '../operations/route.ts'
import { apiRoutes } from '../routes/routes.ts'
import type { DescribedConfig } from './formats.ts'
import { openApiPath, toOpenApiOperation } from './operation.ts'
import { describeSharedErrors, errorExamples, headerComponents } from './responses.ts'
import { createSchemaWriter, namedSchemas, type OpenApiPart, type SchemaWriter } from './schemas.ts'
import { toOpenApiWebhooks } from './webhooks.ts'

export function describeApi(config: DescribedConfig): OpenApiPart {
  const writer = createSchemaWriter(config, new Set(apiRoutes.flatMap(({ body }) => body ?? [])))
  return {
    openapi: '3.1.0',
    info: {
      title: 'Payment intents',
      version: packageVersion,
      description: introduction,
      ...contactOf(config),
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: `${config.publicUrl}/api/v1`, 'x-internal': false }],
    tags: Object.entries(apiSections).map(([name, description]) => ({ name, description })),
    security: [{ apiKey: [] }],
    paths: pathsOf(writer),
    webhooks: toOpenApiWebhooks(writer, config),
    components: {
      securitySchemes: { apiKey },
      parameters: { IdempotencyKey: idempotencyKey },
      headers: headerComponents,
      responses: describeSharedErrors(),
      examples: errorExamples(),
      schemas: Object.fromEntries(
        Object.entries(namedSchemas).map(([name, schema]) => [name, writer.define(schema)]),
      ),
    },
  }
}

function contactOf({ supportContacts }: DescribedConfig): OpenApiPart {
  const [mailto, url] = ['mailto:', 'https:'].map((scheme) =>
    supportContacts.find((each) => each.startsWith(scheme)),
  )
  const contact = { url, email: mailto?.slice('mailto:'.length) }
  return supportContacts.length === 0 ? {} : { contact: omitUndefined(contact) }
}

const introduction = [
  `Accept payments in ${currencyCode}. All amounts are integers in centimes: 50000 is ${formatCentimes(50_000)} ${currencyCode}.`,
  'Every response is `{"success": true, "data": …}` or `{"success": false, "error": {"code", "message", "statusCode", "requestId"}}`. Read `code`, because `message` may change.',
  'Every write needs an `X-Idempotency-Key` header.',
  'To read a whole list, increase `page` until `hasMore` is false.',
  'An unknown query parameter is refused with VALIDATION_ERROR. So is an unknown body field if the schema has `additionalProperties: false`, or if its name differs from a known one only in case, spaces, `_` and `-`. Other unknown fields are ignored. An optional field may be null, except where its schema says otherwise.',
  'An unknown path, or a method that the path does not support, gets 404 ENDPOINT_NOT_FOUND. For a known path, `Allow` lists its methods.',
].join('\n\n')

const apiKey: OpenApiPart = {
  type: 'http',
  scheme: 'bearer',
  description:
    'A test key (`sk_test_…`) works in the sandbox, where no money moves. A live key (`sk_live_…`) moves real money. A publishable key (`pk_…`) can only retrieve a payment intent.',
}

const idempotencyKey: OpenApiPart = {
  name: 'X-Idempotency-Key',
  in: 'header',
  required: true,
  description:
    'Identifies the operation. Use a new key, such as a UUID v4, for each operation, and the same key when you retry it.',
  schema: { type: 'string', minLength: 1, maxLength: 255, pattern: String.raw`\S` },
}

const pathsOf = (writer: SchemaWriter): OpenApiPart =>
  Object.fromEntries(
    [...Map.groupBy(apiRoutes, openApiPath)].map(([path, some]) => [
      path,
      Object.fromEntries(some.map((route) => [route.method, toOpenApiOperation(writer, route)])),
    ]),
  )
