import { eventScopes } from './events.ts'
import {
  described,
  listQuery,
  normalisedText,
  type SchemaValue,
  spanQuery,
  storableText,
} from './requests.ts'

/** WEBHOOK_RETRY_SECONDS overrides these waits (SPEC 6.4). */
export const retryWaitSeconds = [30, 120, 900, 3_600, 14_400, 43_200, 86_400]

export const maxAttempts = retryWaitSeconds.length + 1

export const deliveryStatuses = ['PENDING', 'RETRYING', 'DELIVERED', 'DEAD', 'CANCELLED'] as const
export type DeliveryStatus = (typeof deliveryStatuses)[number]

const anyStatus = `(${deliveryStatuses.join('|')})`
const identifier = storableText(64)

const deliveryFilters = {
  event: { description: 'Only deliveries of this event.', enum: Object.keys(eventScopes) },
  endpointId: { description: 'Only deliveries to this endpoint, which may be deleted.', ...identifier },
  referenceNumber: described(
    'Only deliveries about this payment intent or order.',
    normalisedText('reference', 64),
  ),
  responseStatus: described(
    'Only deliveries whose last attempt got this HTTP status (`300` to `599`) or class (such as `5xx`).',
    {
      type: 'string',
      maxLength: 3,
      pattern: '^[345]([0-9]{2}|xx)$',
      message: 'must be a string: a status from 300 to 599, such as 503, or a class (3xx, 4xx or 5xx)',
    },
  ),
} as const

export const listDeliveriesQuery = listQuery({
  status: {
    description: `Only deliveries in one of these statuses, separated by commas: ${deliveryStatuses.join(', ')}.`,
    type: 'string',
    // A status and its comma take up at most 10 characters.
    maxLength: 10 * deliveryStatuses.length,
    pattern: `^${anyStatus}(,${anyStatus}){0,${deliveryStatuses.length - 1}}$`,
    message: `must be one or more of ${deliveryStatuses.join(', ')}, separated by commas`,
  },
  ...deliveryFilters,
  ...spanQuery.properties,
})

export type ListDeliveriesQuery = SchemaValue<typeof listDeliveriesQuery>

export const retriedStatuses = ['DEAD', 'RETRYING', 'CANCELLED'] as const

export const noFilterMessage =
  'must contain at least one of status, event, endpointId, referenceNumber, responseStatus, from and to'

export const retryDeliveriesBody = {
  type: 'object',
  minProperties: 1,
  absenceWidens: ['status', ...Object.keys(deliveryFilters), 'from', 'to'],
  message: noFilterMessage,
  properties: {
    status: {
      description: 'Only deliveries in one of these statuses. Defaults to `["DEAD"]`.',
      type: 'array',
      minItems: 1,
      // A request may repeat statuses, so this exceeds their number.
      maxItems: 10,
      items: { enum: retriedStatuses },
    },
    ...deliveryFilters,
    ...spanQuery.properties,
    after: {
      description: 'The `next` of the previous response.',
      type: 'string',
      maxLength: 60,
      // Ten digits in base 36 stay within the range of Date.
      pattern: '^[0-9a-z]{1,10}[.][A-Za-z0-9_-]{1,49}$',
      message: 'must be the `next` of an earlier response',
    },
  },
} as const
