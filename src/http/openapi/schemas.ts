import { createEndpointBody, testEndpointBody, updateEndpointBody } from '../../../schemas/endpoints.ts'
import {
  eventBodies,
  eventFeedSchema,
  eventPageSchema,
  loggedEventSchema,
} from '../../../schemas/event-bodies.ts'
import { createTestIntentBody, refundBody, simulatePaymentBody } from '../../../schemas/intents.ts'
import { simulateOrderBody } from '../../../schemas/orders.ts'
import {
  changeStockBody,
  createProductBody,
  importProductsBody,
  updateProductBody,
} from '../../../schemas/products.ts'
import { failureBody, fieldFaultSchema, rateLimitDetails } from '../../../schemas/responses/failure.ts'
import {
  createdIntentSchema,
  intentPageSchema,
  intentSchema,
  paymentFailureSchema,
  paymentSchema,
  refundedIntentSchema,
  refundSchema,
} from '../../../schemas/responses/intent.ts'
import {
  balanceSchema,
  ledgerEntryPageSchema,
  ledgerEntrySchema,
  listedRefundPageSchema,
  listedRefundSchema,
  statementPageSchema,
  statementSchema,
} from '../../../schemas/responses/ledger.ts'
import {
  customerSchema,
  deletedProductSchema,
  importResultSchema,
  orderItemSchema,
  orderPageSchema,
  orderSchema,
  productPageSchema,
  productSchema,
  stockedVariantSchema,
  variantSchema,
} from '../../../schemas/responses/store.ts'
import {
  deletedEndpointSchema,
  deliveryAttemptSchema,
  deliveryPageSchema,
  deliverySchema,
  deliveryWithAttemptsSchema,
  endpointHealthSchema,
  endpointPageSchema,
  endpointSchema,
  endpointWithSecretSchema,
  lastDaySchema,
  listedEndpointSchema,
  retriedDeliverySchema,
  testResultSchema,
} from '../../../schemas/responses/webhooks.ts'
import { type Fields, takesNull } from '../../input/known-fields.ts'
import { type DescribedConfig, formatsFor } from './formats.ts'

const capitalised = (word: string): string => word.charAt(0).toUpperCase() + word.slice(1)

/** `payment.created` becomes `PaymentCreatedEvent`. */
const eventType = (event: string): string => `${event.split('.').map(capitalised).join('')}Event`

/** Schemas that the document defines once and refers to by name. */
export const namedSchemas: Record<string, object> = {
  CreateIntentBody: createTestIntentBody,
  SimulatePaymentBody: simulatePaymentBody,
  RefundBody: refundBody,
  CreatedIntent: createdIntentSchema,
  Intent: intentSchema,
  RefundedIntent: refundedIntentSchema,
  IntentPage: intentPageSchema,
  Payment: paymentSchema,
  PaymentFailure: paymentFailureSchema,
  Refund: refundSchema,
  ListedRefund: listedRefundSchema,
  RefundPage: listedRefundPageSchema,
  Balance: balanceSchema,
  LedgerEntry: ledgerEntrySchema,
  LedgerEntryPage: ledgerEntryPageSchema,
  Statement: statementSchema,
  StatementPage: statementPageSchema,
  CreateWebhookEndpointBody: createEndpointBody,
  UpdateWebhookEndpointBody: updateEndpointBody,
  TestWebhookEndpointBody: testEndpointBody,
  WebhookEndpoint: endpointSchema,
  WebhookEndpointWithSecret: endpointWithSecretSchema,
  WebhookEndpointHealth: endpointHealthSchema,
  ListedWebhookEndpoint: listedEndpointSchema,
  WebhookEndpointLastDay: lastDaySchema,
  WebhookEndpointPage: endpointPageSchema,
  DeletedWebhookEndpoint: deletedEndpointSchema,
  WebhookTestResult: testResultSchema,
  WebhookDelivery: deliverySchema,
  WebhookDeliveryWithAttempts: deliveryWithAttemptsSchema,
  WebhookDeliveryAttempt: deliveryAttemptSchema,
  WebhookDeliveryPage: deliveryPageSchema,
  RetriedWebhookDelivery: retriedDeliverySchema,
  LoggedEvent: loggedEventSchema,
  EventPage: eventPageSchema,
  EventFeed: eventFeedSchema,
  CreateProductBody: createProductBody,
  UpdateProductBody: updateProductBody,
  ChangeStockBody: changeStockBody,
  Product: productSchema,
  ProductPage: productPageSchema,
  Variant: variantSchema,
  StockedVariant: stockedVariantSchema,
  DeletedProduct: deletedProductSchema,
  ImportProductsBody: importProductsBody,
  ImportResult: importResultSchema,
  SimulateOrderBody: simulateOrderBody,
  Order: orderSchema,
  OrderItem: orderItemSchema,
  OrderPage: orderPageSchema,
  Customer: customerSchema,
  Failure: failureBody,
  FieldFault: fieldFaultSchema,
  RateLimitDetails: rateLimitDetails,
  ...Object.fromEntries(Object.entries(eventBodies).map(([event, body]) => [eventType(event), body])),
}

const names = new Map(Object.entries(namedSchemas).map(([name, schema]) => [schema, name]))

/** Any part of the OpenAPI document. */
export type OpenApiPart = Record<string, unknown>

/**
 * Translates a schema from schemas/ to OpenAPI 3.1. `refer` returns a reference if the schema has a name; `define`
 * always returns the schema in full.
 */
export type SchemaWriter = ReturnType<typeof createSchemaWriter>

/** Keywords whose values are schemas or lists of schemas. */
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

/** `bodies` are the schemas of request bodies: their optional fields may be null. */
export function createSchemaWriter(config: DescribedConfig, bodies: ReadonlySet<object>) {
  const formats = formatsFor(config)

  const refer = (schema: object): OpenApiPart => {
    const name = names.get(schema)
    return name === undefined ? define(schema) : { $ref: `#/components/schemas/${name}` }
  }

  const define = (schema: object): OpenApiPart => {
    const whole = withType(bodies.has(schema) ? withNull(schema) : schema)
    return withWidth(
      Object.assign({}, ...Object.entries(whole).map(([keyword, value]) => write(keyword, value))),
    )
  }

  const referEach = (schemas: object): OpenApiPart =>
    Object.fromEntries(Object.entries(schemas).map(([name, schema]) => [name, refer(schema)]))

  const write = (keyword: string, value: unknown): OpenApiPart => {
    if (['$schema', 'message', 'emptyIsAbsent'].includes(keyword)) return {}
    if (keyword === 'absenceWidens') return { additionalProperties: false }
    // We may add fields later, so clients must accept fields that they don't know.
    if (keyword === 'additionalProperties' && value === false) return {}
    if (keyword === 'errorCodes') return { 'x-error-codes': [...new Set(Object.values(value as object))] }
    if (keyword === 'format' || keyword === 'normalise') return keywordsOf(String(value))
    if (keyword === 'properties') return { properties: referEach(value as object) }
    // JSON Schema 2019-09 split `dependencies` in two. `dependentSchemas` is the one whose values are schemas.
    if (keyword === 'dependencies') return { dependentSchemas: referEach(value as object) }
    if (!nesting.includes(keyword) || typeof value === 'boolean') return { [keyword]: value }
    return { [keyword]: Array.isArray(value) ? value.map(refer) : refer(value as object) }
  }

  const keywordsOf = (format: string): OpenApiPart => {
    const keywords = formats[format]
    if (keywords === undefined) throw new Error(`formats.ts does not describe the format ${format}`)
    return { ...keywords }
  }

  return { refer, define }
}

/** Adds `int32`, `int64` or `double`: code generators choose the type of a number by its format. */
function withWidth(written: OpenApiPart): OpenApiPart {
  const { type, minimum, maximum } = written as { type?: unknown; minimum?: number; maximum?: number }
  const isMissing =
    [type].flat().includes('null') && Array.isArray(written.enum) && !written.enum.includes(null)
  const schema = isMissing ? { ...written, enum: [...(written.enum as unknown[]), null] } : written
  if ([type].flat().includes('number')) return { ...schema, format: 'double' }
  if (minimum === undefined || maximum === undefined) return schema
  return { ...schema, format: minimum >= -(2 ** 31) && maximum < 2 ** 31 ? 'int32' : 'int64' }
}

/** Lets optional fields be null, which means absent. */
function withNull(schema: Fields): Fields {
  const { properties, items } = schema
  const nullable = (name: string, field: Fields): Fields => {
    const typed = withType(withNull(field)) as Fields
    return takesNull(schema, name) ? { ...typed, type: [...[typed.type ?? []].flat(), 'null'] } : typed
  }
  return {
    ...schema,
    ...(items && { items: withNull(items) }),
    ...(properties && {
      properties: Object.fromEntries(
        Object.entries(properties).map(([name, field]) => [name, nullable(name, field)]),
      ),
    }),
  }
}

/** Code generators need a type even if the allowed values imply it. */
function withType(schema: object): object {
  if ('type' in schema) return schema
  const values = 'enum' in schema ? (schema.enum as unknown[]) : 'const' in schema ? [schema.const] : []
  if (values.length === 0) return schema
  const types = new Set(values.map((value) => (typeof value === 'number' ? 'integer' : typeof value)))
  return types.size === 1 ? { type: [...types][0], ...schema } : schema
}
