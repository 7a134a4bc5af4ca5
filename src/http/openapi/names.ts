import { changeStockBody } from '../../../schemas/change-stock.ts'
import { createEndpointBody } from '../../../schemas/create-endpoint.ts'
import { createTestIntentBody } from '../../../schemas/create-intent.ts'
import { createProductBody } from '../../../schemas/create-product.ts'
import { endpointEvents } from '../../../schemas/endpoint-event.ts'
import type { EventName } from '../../../schemas/events.ts'
import { importProductsBody } from '../../../schemas/import-products.ts'
import { orderEvents } from '../../../schemas/order-event.ts'
import { paymentEvents } from '../../../schemas/payment-event.ts'
import { refundBody } from '../../../schemas/refund.ts'
import * as deliveries from '../../../schemas/responses/delivery.ts'
import * as endpoints from '../../../schemas/responses/endpoint.ts'
import { eventFeed, eventPage, loggedEvent } from '../../../schemas/responses/event.ts'
import { failureBody, fieldFault, rateLimitDetails } from '../../../schemas/responses/failure.ts'
import { importResult } from '../../../schemas/responses/import.ts'
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
import { customer, order, orderItem, orderPage } from '../../../schemas/responses/order.ts'
import { deletedProduct, product, productPage, stockedVariant, variant } from '../../../schemas/responses/product.ts'
import { simulateOrderBody } from '../../../schemas/simulate-order.ts'
import { simulatePaymentBody } from '../../../schemas/simulate-payment.ts'
import { testEndpointBody } from '../../../schemas/test-endpoint.ts'
import { updateEndpointBody } from '../../../schemas/update-endpoint.ts'
import { updateProductBody } from '../../../schemas/update-product.ts'

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
  WebhookEndpoint: endpoints.endpoint,
  WebhookEndpointWithSecret: endpoints.endpointWithSecret,
  WebhookEndpointHealth: endpoints.endpointHealth,
  ListedWebhookEndpoint: endpoints.listedEndpoint,
  WebhookEndpointLastDay: endpoints.lastDayOfEndpoint,
  WebhookEndpointPage: endpoints.endpointPage,
  DeletedWebhookEndpoint: endpoints.deletedEndpoint,
  WebhookTestResult: deliveries.testResult,
  WebhookDelivery: deliveries.delivery,
  WebhookDeliveryWithAttempts: deliveries.deliveryWithAttempts,
  WebhookDeliveryAttempt: deliveries.deliveryAttempt,
  WebhookDeliveryPage: deliveries.deliveryPage,
  RetriedWebhookDelivery: deliveries.retriedDelivery,
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
