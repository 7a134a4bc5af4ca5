import { type EventName, events } from './events.ts'
import { pageQuery, queryOf, spanOf } from './queries.ts'
import { normalised, storableText } from './strings.ts'
import type { ValueOf } from './value-of.ts'

/** Seconds. Many proxies end a request after 30 s. */
export const maxWaitSeconds = 25

const type = { description: 'Only events of this type.', enum: Object.keys(events) as EventName[] }

/** Query of GET /dev/events. */
export const listEventsQuery = queryOf({
  type,
  referenceNumber: {
    description: 'Only events of the payment intent, order or webhook endpoint with this `referenceNumber`.',
    ...normalised('reference', 64),
  },
  ...spanOf('Only events that happened'),
  ...pageQuery.properties,
})

export type ListEventsQuery = ValueOf<typeof listEventsQuery>

/** Query of GET /dev/events/feed. */
export const readFeedQuery = queryOf({
  after: {
    description:
      'The `next` of the previous response. Without it, the feed begins with the oldest event. `latest` means events from now on.',
    ...storableText(64),
  },
  type,
  limit: pageQuery.properties.limit,
  wait: {
    description:
      'For how many seconds the service holds the request while there is no event. It responds as soon as there is one.',
    type: 'string',
    format: 'wait-seconds',
  },
})

export type ReadFeedQuery = ValueOf<typeof readFeedQuery>
