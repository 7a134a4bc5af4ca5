import { currencyCode } from './currency.ts'
import type { EventName } from './events.ts'
import { maxOrderItems, maxUnitsPerItem } from './orders.ts'
import { declineReasons, failureReasons } from './payment-reasons.ts'
import { maxLabelLength, maxNameLength, maxSkuLength } from './products.ts'
import {
  amountSchema,
  booleanSchema,
  count,
  eventName,
  id,
  instant,
  listOf,
  nullable,
  objectOf,
  oneOf,
  orderNumber,
  orNull,
  pageSchema,
  priceSchema,
  sandboxSchema,
  subjectReference,
  textMatching,
  textOrNull,
  textUpTo,
  withDescription,
} from './responses/fields.ts'
import { intentEventFields } from './responses/intent.ts'
import { failureStages, statusOrNull } from './responses/webhooks.ts'

const exactly = (properties: Record<string, object>) => ({
  type: 'object',
  properties,
  required: Object.keys(properties),
  additionalProperties: false,
})

/** Omits `format`, because not every JSON Schema validator knows it. */
const { format: _, ...instantText } = instant

const nothing = { type: 'null' }

const maskedPhone = textMatching(String.raw`^[0-9]{2} \*\* \*\* [0-9]{2}$`, 11)

const commission = (part: object) =>
  exactly({ provider_ttc: part, payer_ttc: part, tof: part, tte: part, total_revenue: part })

const snakeCase = (name: string): string => name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)

/** `status` is the intent's status after the event (SPEC 6.2). */
const payment = (status: string) => ({
  ...Object.fromEntries(Object.entries(intentEventFields).map(([name, schema]) => [snakeCase(name), schema])),
  status: { const: status },
})

const unpaid = (status: string, more: Record<string, object>) =>
  exactly({
    ...payment(status),
    amount: withDescription('Centimes. Null for an OPEN intent.', orNull(amountSchema)),
    paid_at: nothing,
    payer_phone: nothing,
    commission: commission({ ...count, maximum: 0 }),
    ...more,
  })

const paid = (status: string, more: Record<string, object>) =>
  exactly({
    ...payment(status),
    amount: withDescription('Centimes. The amount that the customer paid, without fees.', amountSchema),
    paid_at: instantText,
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
  amount: amountSchema,
  returned_fees: withDescription(
    'The parts of the fees that this refund gives back to you and to the customer, in centimes.',
    exactly({ provider_ttc: count, payer_ttc: count }),
  ),
  reason: textOrNull(200),
})

const writtenOrNull = (maxLength: number) => ({ ...textOrNull(maxLength), minLength: 1 })

const item = exactly({
  product_id: id,
  variant_id: id,
  name: { ...textUpTo(maxNameLength), minLength: 1 },
  variant_label: { ...textUpTo(maxLabelLength), minLength: 1 },
  sku: writtenOrNull(maxSkuLength),
  unit_price: priceSchema,
  quantity: { type: 'integer', minimum: 1, maximum: maxUnitsPerItem },
  total: priceSchema,
})

const order = exactly({
  _id: id,
  reference_number: orderNumber,
  number: orderNumber,
  status: { const: 'PLACED' },
  items: { type: 'array', minItems: 1, maxItems: maxOrderItems, items: item },
  total: priceSchema,
  currency: { const: currencyCode },
  customer: nullable(
    exactly({ name: writtenOrNull(200), phone: writtenOrNull(15), email: writtenOrNull(254) }),
  ),
  created_at: instantText,
})

const endpoint = (status: string, recoveredAt: object) =>
  exactly({
    endpoint_id: withDescription('The endpoint that the event is about.', id),
    reference_number: withDescription('The same id as `endpoint_id`.', id),
    url: withDescription(
      'The scheme and host of the URL, at most 4 characters of its path, and a fingerprint. Your list of endpoints shows it whole.',
      textUpTo(300),
    ),
    status: { const: status },
    failing_since: withDescription('When the first failed attempt ended.', instantText),
    recovered_at: recoveredAt,
    last_error: withDescription('The stage at which the last failed attempt failed.', oneOf(failureStages)),
    last_response_status: statusOrNull,
  })

const eventData: Record<EventName, object> = {
  'payment.created': unpaid('PENDING', {}),
  'payment.confirmed': paid('PAID', {}),
  'payment.cancelled': unpaid('CANCELLED', {}),
  'payment.expired': unpaid('CANCELLED', {}),
  'payment.refunded': paid('REFUNDED', { refund }),
  'payment.failed': {
    oneOf: [
      unpaid('PENDING', { failure: failure(true, declineReasons) }),
      unpaid('FAILED', { failure: failure(false, failureReasons) }),
    ],
  },
  'order.new': order,
  'endpoint.failing': {
    oneOf: [
      endpoint('FAILING', nothing),
      endpoint('RECOVERED', withDescription('When an attempt succeeded again.', instantText)),
    ],
  },
}

const eventBody = (event: string, data: object) => ({
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  ...exactly({
    id: withDescription(
      'The id of the delivery, the same in every attempt. Its first 16 characters are the id of the event in base64url. In the event log, the id of the event.',
      textMatching('^([A-Za-z0-9_-]{32}|[0-9a-f]{24})$', 32),
    ),
    event: { const: event },
    created_at: withDescription('When the event happened.', instantText),
    sandbox: sandboxSchema,
    data,
  }),
})

/** Each event's schema lists exactly the fields of its webhook body. */
export const eventBodies = Object.fromEntries(
  Object.entries(eventData).map(([event, data]) => [event, eventBody(event, data)]),
) as Record<EventName, object>

export const loggedEventSchema = objectOf({
  id: withDescription(
    'The id of the event. Each webhook for the event contains it in the header that ends in `-Event-Id`.',
    id,
  ),
  type: eventName,
  createdAt: withDescription('When the event happened.', instant),
  referenceNumber: withDescription(
    'The number of the payment intent (`PI-…`) or of the order (`OR-…`). For `endpoint.failing`, the id of the endpoint.',
    subjectReference,
  ),
  sandbox: sandboxSchema,
  body: withDescription('The body of the webhook, except that its `id` is the `id` of the event.', {
    oneOf: Object.values(eventBodies),
  }),
})

export const eventPageSchema = pageSchema(loggedEventSchema)

export const eventFeedSchema = objectOf({
  items: listOf(loggedEventSchema, 100),
  next: withDescription(
    'Send this as `after` to get the events that follow. It also skips events that the key may not read or that `type` leaves out.',
    textMatching('^[0-9]{1,16}-[0-9a-f]{8}$', 25),
  ),
  hasMore: withDescription('Whether more events are available now.', booleanSchema),
})
