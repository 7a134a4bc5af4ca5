import {
  described,
  listQuery,
  normalisedText,
  pageQuery,
  querySchema,
  type SchemaValue,
  spanSchemas,
  storableText,
} from './requests.ts'
import type { ApiScope } from './scopes.ts'

/** A key needs this scope to subscribe to the event (SPEC 6.1, 4.8). */
export const eventScopes = {
  'payment.created': 'payments.intents:read',
  'payment.confirmed': 'payments.intents:read',
  'payment.cancelled': 'payments.intents:read',
  'payment.expired': 'payments.intents:read',
  'payment.refunded': 'payments.intents:read',
  'payment.failed': 'payments.intents:read',
  'order.new': 'store.orders:read',
  'endpoint.failing': 'webhooks.endpoints:read',
} as const satisfies Record<string, ApiScope>

export type EventName = keyof typeof eventScopes

/** Many proxies time out after 30 s. */
export const maxFeedWaitSeconds = 25

const type = { description: 'Only events of this type.', enum: Object.keys(eventScopes) as EventName[] }

export const listEventsQuery = listQuery({
  type,
  referenceNumber: described(
    'Only events of the payment intent, order or webhook endpoint with this `referenceNumber`.',
    normalisedText('reference', 64),
  ),
  ...spanSchemas('Only events that happened'),
})

export type ListEventsQuery = SchemaValue<typeof listEventsQuery>

export const readFeedQuery = querySchema({
  after: described(
    'The `next` of the previous response. Without it, the feed begins with the oldest event. `latest` means events from now on.',
    storableText(64),
  ),
  type,
  limit: pageQuery.properties.limit,
  wait: described('How many seconds to wait for an event. The response is sent as soon as there is one.', {
    type: 'string',
    format: 'wait-seconds',
  }),
})

export type ReadFeedQuery = SchemaValue<typeof readFeedQuery>
