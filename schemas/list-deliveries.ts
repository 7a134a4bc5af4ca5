import { events } from './events.ts'
import { pageQuery } from './page.ts'
import { spanQuery } from './span.ts'

/** Every status of a delivery (SPEC 3, note 3). */
export const deliveryStatuses = ['PENDING', 'RETRYING', 'DELIVERED', 'DEAD', 'CANCELLED'] as const
export type DeliveryStatus = (typeof deliveryStatuses)[number]

/**
 * Query of GET /dev/webhooks/events (SPEC 4.8). Values are strings from the URL. A repeated parameter becomes an array,
 * which is invalid.
 */
export const listDeliveriesQuery = {
  type: 'object',
  properties: {
    status: { description: 'Only deliveries in this status.', enum: deliveryStatuses },
    event: { description: 'Only deliveries of this event.', enum: Object.keys(events) },
    endpointId: {
      description: 'Only deliveries to this endpoint, which may be deleted.',
      type: 'string',
      maxLength: 64,
      format: 'storable-text',
    },
    ...spanQuery.properties,
    ...pageQuery.properties,
  },
  additionalProperties: false,
} as const

export interface ListDeliveriesQuery {
  status?: DeliveryStatus
  event?: string
  endpointId?: string
  from?: string
  to?: string
  page?: string
  limit?: string
}
