import { events } from './events.ts'
import { pageQuery } from './page.ts'
import { spanQuery } from './span.ts'

/** Every status that a delivery can have (SPEC 3, note 3). */
export const deliveryStatuses = ['PENDING', 'RETRYING', 'DELIVERED', 'DEAD', 'CANCELLED'] as const
export type DeliveryStatus = (typeof deliveryStatuses)[number]

/**
 * The query parameters of GET /dev/webhooks/events (SPEC 4.8). All values are strings, because they come from the URL.
 * If a parameter is repeated, its value becomes an array and is therefore invalid.
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
