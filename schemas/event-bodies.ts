import { currencyCode } from './currency.ts'
import type { EventName } from './events.ts'
import { intentEventFields } from './intents.ts'
import { maxOrderItems, maxUnitsPerItem } from './orders.ts'
import { declineReasons, failureReasons } from './payment-reasons.ts'
import { maxProductNameLength, maxSkuLength, maxVariantLabelLength } from './products.ts'
import { described } from './requests.ts'
import * as field from './responses/fields.ts'
import { failureStages, responseStatusSchema } from './responses/webhooks.ts'

const exactly = (properties: Record<string, object>) => ({
  type: 'object',
  properties,
  required: Object.keys(properties),
  additionalProperties: false,
})

/** Not every JSON Schema validator supports `format`. */
const { format: _, ...instantText } = field.instantSchema

const nothing = { type: 'null' }

const maskedPhone = field.patternSchema(String.raw`^[0-9]{2} \*\* \*\* [0-9]{2}$`, 11)

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
    amount: described('Centimes. Null for an OPEN intent.', field.nullableType(field.amountSchema)),
    paid_at: nothing,
    payer_phone: nothing,
    commission: commission({ ...field.countSchema, maximum: 0 }),
    ...more,
  })

const paid = (status: string, more: Record<string, object>) =>
  exactly({
    ...payment(status),
    amount: described('Centimes. The amount that the customer paid, without fees.', field.amountSchema),
    paid_at: instantText,
    payer_phone: described("The customer's phone number, masked as `22 ** ** 45`.", maskedPhone),
    commission: commission(field.countSchema),
    ...more,
  })

const failure = (retryable: boolean, codes: readonly string[]) =>
  exactly({ code: { enum: codes }, retryable: { const: retryable } })

const refund = exactly({
  id: field.patternSchema('^RF-[0-9A-Z]{16}$', 19),
  amount: field.amountSchema,
  returned_fees: described(
    'The fees returned to you and to the customer with this refund, in centimes.',
    exactly({ provider_ttc: field.countSchema, payer_ttc: field.countSchema }),
  ),
  reason: field.nullableText(200),
})

const writtenOrNull = (maxLength: number) => ({ ...field.nullableText(maxLength), minLength: 1 })

const item = exactly({
  product_id: field.idSchema,
  variant_id: field.idSchema,
  name: { ...field.textSchema(maxProductNameLength), minLength: 1 },
  variant_label: { ...field.textSchema(maxVariantLabelLength), minLength: 1 },
  sku: writtenOrNull(maxSkuLength),
  unit_price: field.priceSchema,
  quantity: { type: 'integer', minimum: 1, maximum: maxUnitsPerItem },
  total: field.priceSchema,
})

const order = exactly({
  _id: field.idSchema,
  reference_number: field.orderNumberSchema,
  number: field.orderNumberSchema,
  status: { const: 'PLACED' },
  items: { type: 'array', minItems: 1, maxItems: maxOrderItems, items: item },
  total: field.priceSchema,
  currency: { const: currencyCode },
  customer: field.nullableSchema(
    exactly({ name: writtenOrNull(200), phone: writtenOrNull(15), email: writtenOrNull(254) }),
  ),
  created_at: instantText,
})

const endpoint = (status: string, recoveredAt: object) =>
  exactly({
    endpoint_id: described('The endpoint that the event is about.', field.idSchema),
    reference_number: described('The same id as `endpoint_id`.', field.idSchema),
    url: described(
      'The shortened URL, with a fingerprint. Your list of endpoints contains the full URL.',
      field.textSchema(300),
    ),
    status: { const: status },
    failing_since: described('When the first failed attempt ended.', instantText),
    recovered_at: recoveredAt,
    last_error: described('The stage of the last failure.', field.enumSchema(failureStages)),
    last_response_status: responseStatusSchema,
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
      endpoint('RECOVERED', described('When an attempt succeeded again.', instantText)),
    ],
  },
}

const eventBody = (event: string, data: object) => ({
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  ...exactly({
    id: described(
      'The id of the delivery, the same in every attempt. Its first 16 characters are the id of the event in base64url. In the event log, this is the id of the event.',
      field.patternSchema('^([A-Za-z0-9_-]{32}|[0-9a-f]{24})$', 32),
    ),
    event: { const: event },
    created_at: described('When the event happened.', instantText),
    sandbox: field.sandboxSchema,
    data,
  }),
})

export const eventBodySchemas = Object.fromEntries(
  Object.entries(eventData).map(([event, data]) => [event, eventBody(event, data)]),
) as Record<EventName, object>

export const loggedEventSchema = field.objectSchema({
  id: described('The id of the event, as in the header whose name ends in `-Event-Id`.', field.idSchema),
  type: field.eventNameSchema,
  createdAt: described('When the event happened.', field.instantSchema),
  referenceNumber: field.subjectSchema,
  sandbox: field.sandboxSchema,
  body: described('The body of the webhook, except that its `id` is the `id` of the event.', {
    oneOf: Object.values(eventBodySchemas),
  }),
})

export const eventPageSchema = field.pageSchema(loggedEventSchema)

export const eventFeedSchema = field.objectSchema({
  items: field.listSchema(loggedEventSchema, 100),
  next: described(
    'Send this as `after` to get the events that follow.',
    field.patternSchema('^[0-9]{1,16}-[0-9a-f]{8}$', 25),
  ),
  hasMore: described('Whether more events are available now.', field.booleanSchema),
})
