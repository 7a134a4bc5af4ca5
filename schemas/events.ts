import * as requests from './requests.ts'
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

export const listEventsQuery = requests.listQuery({
  type,
  referenceNumber: requests.described(
    'Only events of the payment intent, order or webhook endpoint with this `referenceNumber`.',
    requests.normalisedText('reference', 64),
  ),
  ...requests.spanSchemas('Only events that happened'),
})

export type ListEventsQuery = requests.SchemaValue<typeof listEventsQuery>

export const readFeedQuery = requests.querySchema({
  after: requests.described(
    'The `next` of the previous response. Without it, the feed begins with the oldest event. `latest` means events from now on.',
    requests.storableText(64),
  ),
  type,
  limit: requests.pageQuery.properties.limit,
  wait: requests.described(
    'How many seconds to wait for an event. The response is sent as soon as there is one.',
    {
      type: 'string',
      format: 'wait-seconds',
    },
  ),
})

export type ReadFeedQuery = requests.SchemaValue<typeof readFeedQuery>
