import * as endpointBodies from '../../../schemas/endpoints.ts'
import * as events from '../../../schemas/event-bodies.ts'
import * as intent from '../../../schemas/intents.ts'
import * as orderBodies from '../../../schemas/orders.ts'
import * as productBodies from '../../../schemas/products.ts'
import * as failure from '../../../schemas/responses/failure.ts'
import * as ledger from '../../../schemas/responses/ledger.ts'
import * as store from '../../../schemas/responses/store.ts'
import * as webhook from '../../../schemas/responses/webhooks.ts'
import { type FieldSchema, nullMeansAbsent } from '../../input/known-fields.ts'
import { type DescribedConfig, describeFormats } from './formats.ts'

const capitalised = (word: string): string => word.charAt(0).toUpperCase() + word.slice(1)

const eventType = (event: string): string => `${event.split('.').map(capitalised).join('')}Event`

export const namedSchemas: Record<string, object> = {
  CreateIntentBody: intent.createTestIntentBody,
  SimulatePaymentBody: intent.simulatePaymentBody,
  RefundBody: intent.refundBody,
  CreatedIntent: intent.createdIntentSchema,
  Intent: intent.intentSchema,
  RefundedIntent: intent.refundedIntentSchema,
  IntentPage: intent.intentPageSchema,
  Payment: intent.paymentSchema,
  PaymentFailure: intent.paymentFailureSchema,
  Refund: intent.refundSchema,
  ListedRefund: ledger.listedRefundSchema,
  RefundPage: ledger.listedRefundPageSchema,
  Balance: ledger.balanceSchema,
  LedgerEntry: ledger.ledgerEntrySchema,
  LedgerEntryPage: ledger.ledgerEntryPageSchema,
  Statement: ledger.statementSchema,
  StatementPage: ledger.statementPageSchema,
  CreateWebhookEndpointBody: endpointBodies.createEndpointBody,
  UpdateWebhookEndpointBody: endpointBodies.updateEndpointBody,
  TestWebhookEndpointBody: endpointBodies.testEndpointBody,
  WebhookEndpoint: webhook.endpointSchema,
  WebhookEndpointWithSecret: webhook.endpointWithSecretSchema,
  WebhookEndpointHealth: webhook.endpointHealthSchema,
  ListedWebhookEndpoint: webhook.listedEndpointSchema,
  WebhookEndpointLastDay: webhook.lastDaySchema,
  WebhookEndpointPage: webhook.endpointPageSchema,
  DeletedWebhookEndpoint: webhook.deletedEndpointSchema,
  WebhookTestResult: webhook.testResultSchema,
  WebhookDelivery: webhook.deliverySchema,
  WebhookDeliveryWithAttempts: webhook.deliveryWithAttemptsSchema,
  WebhookDeliveryAttempt: webhook.deliveryAttemptSchema,
  WebhookDeliveryPage: webhook.deliveryPageSchema,
  RetriedWebhookDelivery: webhook.retriedDeliverySchema,
  LoggedEvent: events.loggedEventSchema,
  EventPage: events.eventPageSchema,
  EventFeed: events.eventFeedSchema,
  CreateProductBody: productBodies.createProductBody,
  UpdateProductBody: productBodies.updateProductBody,
  ChangeStockBody: productBodies.changeStockBody,
  Product: store.productSchema,
  ProductPage: store.productPageSchema,
  Variant: store.variantSchema,
  StockedVariant: store.stockedVariantSchema,
  DeletedProduct: store.deletedProductSchema,
  ImportProductsBody: productBodies.importProductsBody,
  ImportResult: store.importResultSchema,
  SimulateOrderBody: orderBodies.simulateOrderBody,
  Order: store.orderSchema,
  OrderItem: store.orderItemSchema,
  OrderPage: store.orderPageSchema,
  Customer: store.customerSchema,
  Failure: failure.failureSchema,
  FieldFault: failure.fieldFaultSchema,
  RateLimitDetails: failure.rateLimitDetailsSchema,
  ...Object.fromEntries(
    Object.entries(events.eventBodySchemas).map(([event, body]) => [eventType(event), body]),
  ),
}

const names = new Map(Object.entries(namedSchemas).map(([name, schema]) => [schema, name]))

export type OpenApiPart = Record<string, unknown>

/** `refer` returns a reference if the schema has a name. */
export type SchemaWriter = ReturnType<typeof createSchemaWriter>

const nesting = 'items propertyNames additionalProperties if then else not oneOf anyOf'.split(' ')

export function createSchemaWriter(config: DescribedConfig, bodies: ReadonlySet<object>) {
  const formats = describeFormats(config)

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
    if (['$schema', 'message', 'emptyIsAbsent', 'headersWithin'].includes(keyword)) return {}
    if (keyword === 'absenceWidens') return { additionalProperties: false }
    // Clients must accept unknown fields, because we may add new ones.
    if (keyword === 'additionalProperties' && value === false) return {}
    if (keyword === 'errorCodes') return { 'x-error-codes': [...new Set(Object.values(value as object))] }
    if (keyword === 'format' || keyword === 'normalise') return keywordsOf(String(value))
    if (keyword === 'properties') return { properties: referEach(value as object) }
    // JSON Schema 2019-09 renamed `dependencies` to `dependentSchemas`.
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

/** Code generators choose a number's type by its format. */
function withWidth(written: OpenApiPart): OpenApiPart {
  const { type, minimum, maximum } = written as { type?: unknown; minimum?: number; maximum?: number }
  const isMissing =
    [type].flat().includes('null') && Array.isArray(written.enum) && !written.enum.includes(null)
  const schema = isMissing ? { ...written, enum: [...(written.enum as unknown[]), null] } : written
  if ([type].flat().includes('number')) return { ...schema, format: 'double' }
  if (minimum === undefined || maximum === undefined) return schema
  return { ...schema, format: minimum >= -(2 ** 31) && maximum < 2 ** 31 ? 'int32' : 'int64' }
}

/** An optional field may be null, which counts as absent. */
function withNull(schema: FieldSchema): FieldSchema {
  const { properties, items } = schema
  const nullable = (name: string, field: FieldSchema): FieldSchema => {
    const typed = withType(withNull(field)) as FieldSchema
    return nullMeansAbsent(schema, name) ? { ...typed, type: [...[typed.type ?? []].flat(), 'null'] } : typed
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

/** Code generators need a type even if the values imply it. */
function withType(schema: object): object {
  if ('type' in schema) return schema
  const values = 'enum' in schema ? (schema.enum as unknown[]) : 'const' in schema ? [schema.const] : []
  if (values.length === 0) return schema
  const types = new Set(values.map((value) => (typeof value === 'number' ? 'integer' : typeof value)))
  return types.size === 1 ? { type: [...types][0], ...schema } : schema
}
