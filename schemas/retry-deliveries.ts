import { deliveryFilters } from './list-deliveries.ts'
import { spanQuery } from './span.ts'
/** The statuses of the deliveries that can be retried by filter. */
export const retriedStatuses = ['DEAD', 'RETRYING', 'CANCELLED'] as const
export type RetriedStatus = (typeof retriedStatuses)[number]

/** Follows the name of the body in the error message. */
export const withoutFilter =
  'must contain at least one of status, event, endpointId, referenceNumber, responseStatus, from and to'

/**
 * The body of a POST /dev/webhooks/events/retry request. The filters select the same deliveries as in the list of
 * deliveries.
 */
export const retryDeliveriesBody = {
  type: 'object',
  minProperties: 1,
  absenceWidens: ['status', ...Object.keys(deliveryFilters), 'from', 'to'],
  message: withoutFilter,
  properties: {
    status: {
      description: 'Only deliveries in one of these statuses. Defaults to `["DEAD"]`.',
      type: 'array',
      minItems: 1,
      // The limit is higher than the number of statuses, because the list may contain duplicates.
      maxItems: 10,
      items: { enum: retriedStatuses },
    },
    ...deliveryFilters,
    ...spanQuery.properties,
    after: {
      description:
        'The `next` of the previous response. The request continues after the last delivery that the previous one covered.',
      type: 'string',
      maxLength: 60,
      // A time in base 36 and an id. Ten digits cannot exceed the range of Date.
      pattern: '^[0-9a-z]{1,10}[.][A-Za-z0-9_-]{1,49}$',
      message: 'must be the `next` of an earlier response',
    },
  },
} as const
