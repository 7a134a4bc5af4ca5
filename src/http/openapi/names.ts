import { createEndpointBody, testEndpointBody, updateEndpointBody } from '../../../schemas/endpoints.ts'
import { endpointEvents, orderEvents, paymentEvents } from '../../../schemas/event-bodies.ts'
import type { EventName } from '../../../schemas/events.ts'
import { createTestIntentBody, refundBody, simulatePaymentBody } from '../../../schemas/intents.ts'
import { simulateOrderBody } from '../../../schemas/orders.ts'
import { changeStockBody, createProductBody, importProductsBody, updateProductBody } from '../../../schemas/products.ts'
import { eventFeed, eventPage, loggedEvent } from '../../../schemas/responses/event.ts'
import { failureBody, fieldFault, rateLimitDetails } from '../../../schemas/responses/failure.ts'
import {
  createdIntent,
  intent,
  intentPage,
  payment,
  paymentFailure,
  refund,
  refundedIntent,
} from '../../../schemas/responses/intent.ts'
import {
  balance,
  ledgerEntry,
  ledgerEntryPage,
  listedRefund,
  listedRefundPage,
  statement,
  statementPage,
} from '../../../schemas/responses/ledger.ts'
import {
  customer,
  deletedProduct,
  importResult,
  order,
  orderItem,
  orderPage,
  product,
  productPage,
  stockedVariant,
  variant,
} from '../../../schemas/responses/store.ts'
import {
  deletedEndpoint,
  delivery,
  deliveryAttempt,
  deliveryPage,
  deliveryWithAttempts,
  endpoint,
  endpointHealth,
  endpointPage,
  endpointWithSecret,
  lastDayOfEndpoint,
  listedEndpoint,
  retriedDelivery,
  testResult,
} from '../../../schemas/responses/webhooks.ts'

const capitalised = (word: string): string => word.charAt(0).toUpperCase() + word.slice(1)

/** Returns the schema name for an event, such as `PaymentCreatedEvent` for `payment.created`. */
const eventType = (event: string): string => `${event.split('.').map(capitalised).join('')}Event`

/** Names schemas like their constants: `LedgerEntry` is `ledgerEntry`. */
const asWritten = (schemas: Record<string, object>): Record<string, object> =>
  Object.fromEntries(Object.entries(schemas).map(([name, schema]) => [capitalised(name), schema]))

/** The schema of each event's webhook body. */
export const eventBodies: Record<EventName, object> = {
  ...paymentEvents,
  ...orderEvents,
  ...endpointEvents,
}

/** The schemas that the OpenAPI document defines once and refers to by name. */
export const named: Record<string, object> = {
  CreateIntentBody: createTestIntentBody,
  ...asWritten({ simulatePaymentBody, refundBody }),
  ...asWritten({ createdIntent, intent, refundedIntent, intentPage, payment, paymentFailure, refund, listedRefund }),
  RefundPage: listedRefundPage,
  ...asWritten({ balance, ledgerEntry, ledgerEntryPage, statement, statementPage }),
  CreateWebhookEndpointBody: createEndpointBody,
  UpdateWebhookEndpointBody: updateEndpointBody,
  TestWebhookEndpointBody: testEndpointBody,
  WebhookEndpoint: endpoint,
  WebhookEndpointWithSecret: endpointWithSecret,
  WebhookEndpointHealth: endpointHealth,
  ListedWebhookEndpoint: listedEndpoint,
  WebhookEndpointLastDay: lastDayOfEndpoint,
  WebhookEndpointPage: endpointPage,
  DeletedWebhookEndpoint: deletedEndpoint,
  WebhookTestResult: testResult,
  WebhookDelivery: delivery,
  WebhookDeliveryWithAttempts: deliveryWithAttempts,
  WebhookDeliveryAttempt: deliveryAttempt,
  WebhookDeliveryPage: deliveryPage,
  RetriedWebhookDelivery: retriedDelivery,
  ...asWritten({ loggedEvent, eventPage, eventFeed }),
  ...asWritten({ createProductBody, updateProductBody, changeStockBody }),
  ...asWritten({ product, productPage, variant, stockedVariant, deletedProduct, importProductsBody, importResult }),
  ...asWritten({ simulateOrderBody, order, orderItem, orderPage, customer }),
  Failure: failureBody,
  ...asWritten({ fieldFault, rateLimitDetails }),
  ...Object.fromEntries(Object.entries(eventBodies).map(([event, body]) => [eventType(event), body])),
}

const names = new Map(Object.entries(named).map(([name, schema]) => [schema, name]))

/** Returns the name of a schema, or undefined if it has none. */
export const nameOf = (schema: object): string | undefined => names.get(schema)
