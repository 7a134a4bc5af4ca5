import { currencyCode } from './currency.ts'
import type { EventName } from './events.ts'
import { maxOrderItems, maxUnitsPerItem } from './orders.ts'
import { declineReasons, failureReasons } from './payment-reasons.ts'
import { maxLabelLength, maxNameLength, maxSkuLength } from './product-limits.ts'
import {
  amount,
  count,
  id,
  orderNumber,
  price,
  textMatching,
  textOrNull,
  textUpTo,
  withDescription,
} from './responses/fields.ts'
import { eventFields } from './responses/intent.ts'
import { failureStages, statusOrNull } from './responses/webhooks.ts'

/** Requires all of these fields and allows no others. */
const exactly = (properties: Record<string, object>) => ({
  type: 'object',
  properties,
  required: Object.keys(properties),
  additionalProperties: false,
})

const instant = {
  type: 'string',
  pattern: String.raw`^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$`,
  maxLength: 24,
}

/** Envelope and data (SPEC 6.2). */
const eventBody = (event: EventName, data: object) => ({
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  ...exactly({
    id: withDescription(
      'The id of the delivery, the same in every attempt. Its first 16 characters are the id of the event in base64url. In the event log, the id of the event.',
      textMatching('^([A-Za-z0-9_-]{32}|[0-9a-f]{24})$', 32),
    ),
    event: { const: event },
    created_at: withDescription('When the event happened.', instant),
    sandbox: withDescription('True for test data, with which no money moves.', { type: 'boolean' }),
    data,
  }),
})

export type PaymentEventName = Extract<EventName, `payment.${string}`>

const nothing = { type: 'null' }
/** Null until an OPEN intent has been paid. */
const amountOrNull = { ...amount, type: ['integer', 'null'] }

const maskedPhone = textMatching(String.raw`^[0-9]{2} \*\* \*\* [0-9]{2}$`, 11)

const commission = (part: object) =>
  exactly({ provider_ttc: part, payer_ttc: part, tof: part, tte: part, total_revenue: part })

const snakeCase = (name: string): string => name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)

/** Fields of all payment events (SPEC 6.2). `status` is the intent's status after the event. */
const payment = (status: string) => ({
  ...Object.fromEntries(Object.entries(eventFields).map(([name, schema]) => [snakeCase(name), schema])),
  status: { const: status },
})

const unpaid = (status: string, more: Record<string, object>) =>
  exactly({
    ...payment(status),
    amount: withDescription('Centimes. Null for an OPEN intent.', amountOrNull),
    paid_at: nothing,
    payer_phone: nothing,
    commission: commission({ ...count, maximum: 0 }),
    ...more,
  })

const paid = (status: string, more: Record<string, object>) =>
  exactly({
    ...payment(status),
    amount: withDescription('Centimes. The amount that the customer paid, without fees.', amount),
    paid_at: instant,
    payer_phone: withDescription(
      'The phone number of the customer, masked as `22 ** ** 45`, whatever its length.',
      maskedPhone,
    ),
    commission: commission(count),
    ...more,
  })

const failure = (retryable: boolean, codes: readonly string[]) =>
  exactly({ code: { enum: codes }, retryable: { const: retryable } })

const refund = exactly({
  id: textMatching('^RF-[0-9A-Z]{16}$', 19),
  amount,
  returned_fees: withDescription(
    'The parts of the fees that this refund gives back to you and to the customer, in centimes.',
    exactly({ provider_ttc: count, payer_ttc: count }),
  ),
  reason: textOrNull(200),
})

/** Bodies of payment events (SPEC 6.2). Only the fields in these schemas are sent. */
export const paymentEvents: Record<PaymentEventName, object> = {
  'payment.created': eventBody('payment.created', unpaid('PENDING', {})),
  'payment.confirmed': eventBody('payment.confirmed', paid('PAID', {})),
  'payment.cancelled': eventBody('payment.cancelled', unpaid('CANCELLED', {})),
  'payment.expired': eventBody('payment.expired', unpaid('CANCELLED', {})),
  'payment.refunded': eventBody('payment.refunded', paid('REFUNDED', { refund })),
  'payment.failed': eventBody('payment.failed', {
    oneOf: [
      unpaid('PENDING', { failure: failure(true, declineReasons) }),
      unpaid('FAILED', { failure: failure(false, failureReasons) }),
    ],
  }),
}

export type OrderEventName = Extract<EventName, `order.${string}`>

const writtenOrNull = (maxLength: number) => ({ ...textOrNull(maxLength), minLength: 1 })

const item = exactly({
  product_id: id,
  variant_id: id,
  name: { ...textUpTo(maxNameLength), minLength: 1 },
  variant_label: { ...textUpTo(maxLabelLength), minLength: 1 },
  sku: writtenOrNull(maxSkuLength),
  unit_price: price,
  quantity: { type: 'integer', minimum: 1, maximum: maxUnitsPerItem },
  total: price,
})

/** Bodies of order events (SPEC 6.2). Only the fields in these schemas are sent. */
export const orderEvents: Record<OrderEventName, object> = {
  'order.new': eventBody(
    'order.new',
    exactly({
      _id: id,
      reference_number: orderNumber,
      number: orderNumber,
      status: { const: 'PLACED' },
      items: { type: 'array', minItems: 1, maxItems: maxOrderItems, items: item },
      total: price,
      currency: { const: currencyCode },
      customer: {
        oneOf: [
          { type: 'null' },
          exactly({ name: writtenOrNull(200), phone: writtenOrNull(15), email: writtenOrNull(254) }),
        ],
      },
      created_at: instant,
    }),
  ),
}

export type EndpointEventName = Extract<EventName, `endpoint.${string}`>

const endpoint = (status: string, recoveredAt: object) =>
  exactly({
    endpoint_id: withDescription('The endpoint that the event is about.', id),
    reference_number: withDescription('The same id as `endpoint_id`.', id),
    url: withDescription(
      'The scheme and host of the URL, at most 4 characters of its path, and a fingerprint. Your list of endpoints shows it whole.',
      textUpTo(300),
    ),
    status: { const: status },
    failing_since: withDescription('When the first failed attempt ended.', instant),
    recovered_at: recoveredAt,
    last_error: withDescription('The stage at which the last failed attempt failed.', {
      type: 'string',
      enum: failureStages,
    }),
    last_response_status: statusOrNull,
  })

/** Only the fields in these schemas are sent. */
export const endpointEvents: Record<EndpointEventName, object> = {
  'endpoint.failing': eventBody('endpoint.failing', {
    oneOf: [
      endpoint('FAILING', { type: 'null' }),
      endpoint('RECOVERED', withDescription('When an attempt succeeded again.', instant)),
    ],
  }),
}
