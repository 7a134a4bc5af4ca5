import { events } from './events.ts'
import { pageQuery, queryOf } from './page.ts'
import { spanQuery } from './span.ts'
import type { ValueOf } from './value-of.ts'

/** Every status that a delivery can have (SPEC 3, note 3). */
export const deliveryStatuses = ['PENDING', 'RETRYING', 'DELIVERED', 'DEAD', 'CANCELLED'] as const
export type DeliveryStatus = (typeof deliveryStatuses)[number]

const anyStatus = `(${deliveryStatuses.join('|')})`
const identifier = { type: 'string', maxLength: 64, format: 'storable-text' } as const

/** The filters that the list of deliveries and the retry of many deliveries have in common. */
export const deliveryFilters = {
  event: { description: 'Only deliveries of this event.', enum: Object.keys(events) },
  endpointId: { description: 'Only deliveries to this endpoint, which may be deleted.', ...identifier },
  referenceNumber: {
    description: 'Only deliveries about this payment intent or order.',
    type: 'string',
    maxLength: 64,
    normalise: 'reference',
  },
  responseStatus: {
    description:
      'Only deliveries whose last attempt failed with this HTTP status (`300` to `599`) or class (such as `5xx`). For 2xx, filter by the status DELIVERED.',
    type: 'string',
    maxLength: 3,
    pattern: '^[345]([0-9]{2}|xx)$',
    message: 'must be a string: a status from 300 to 599, such as 503, or a class (3xx, 4xx or 5xx)',
  },
} as const

/** The query parameters of GET /dev/webhooks/events (SPEC 4.8). */
export const listDeliveriesQuery = queryOf({
  status: {
    description: `Only deliveries in this status, or in one of several separated by commas: ${deliveryStatuses.join(', ')}.`,
    type: 'string',
    // No status is longer than 9 characters.
    maxLength: 10 * deliveryStatuses.length,
    pattern: `^${anyStatus}(,${anyStatus}){0,${deliveryStatuses.length - 1}}$`,
    message: `must be one or more of ${deliveryStatuses.join(', ')}, separated by commas`,
  },
  ...deliveryFilters,
  ...spanQuery.properties,
  ...pageQuery.properties,
})

export type ListDeliveriesQuery = ValueOf<typeof listDeliveriesQuery>
