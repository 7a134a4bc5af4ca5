import { type EventName, events } from './events.ts'
import { pageQuery } from './page.ts'
import type { ValueOf } from './value-of.ts'

/** The longest time in seconds for which the service holds a request. Many proxies end a request after 30 s. */
export const maxWaitSeconds = 25

const type = { description: 'Only events of this type.', enum: Object.keys(events) as EventName[] }

/**
 * The query parameters of GET /dev/events. All values are strings, because they come from the URL. If a parameter is
 * repeated, its value becomes an array and is therefore invalid.
 */
export const listEventsQuery = {
  type: 'object',
  properties: {
    type,
    referenceNumber: {
      description: 'Only events of the payment intent, order or webhook endpoint with this `referenceNumber`.',
      type: 'string',
      maxLength: 64,
      normalise: 'reference',
    },
    from: {
      description:
        'Only events that happened at or after this ISO 8601 date or date-time. Without an offset, the time is UTC.',
      type: 'string',
      format: 'date-or-time',
    },
    to: {
      description:
        'Only events that happened at or before this ISO 8601 date or date-time. A date means the end of that day.',
      type: 'string',
      format: 'date-or-time',
    },
    ...pageQuery.properties,
  },
  additionalProperties: false,
} as const

export type ListEventsQuery = ValueOf<typeof listEventsQuery>

/** The query parameters of GET /dev/events/feed. */
export const readFeedQuery = {
  type: 'object',
  properties: {
    after: {
      description:
        'The `next` of the previous response. Without it, the feed begins with the oldest event. `latest` means events from now on.',
      type: 'string',
      maxLength: 64,
      format: 'storable-text',
    },
    type,
    limit: pageQuery.properties.limit,
    wait: {
      description:
        'For how many seconds the service holds the request while there is no event. It responds as soon as there is one.',
      type: 'string',
      format: 'wait-seconds',
    },
  },
  additionalProperties: false,
} as const

export type ReadFeedQuery = ValueOf<typeof readFeedQuery>
