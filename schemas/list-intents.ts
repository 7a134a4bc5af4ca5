import { pageQuery } from './page.ts'
import { spanQuery } from './span.ts'

/** Every status of an intent (SPEC 3). */
export const statuses = ['PENDING', 'PAID', 'REFUNDED', 'CANCELLED', 'FAILED'] as const
export type Status = (typeof statuses)[number]

/**
 * Query of GET /dev/intents (SPEC 4.3). Values are strings from the URL. A repeated parameter becomes an array, which
 * is invalid.
 */
export const listIntentsQuery = {
  type: 'object',
  properties: {
    status: { description: 'Only intents in this status.', enum: statuses },
    ...spanQuery.properties,
    ...pageQuery.properties,
  },
  additionalProperties: false,
} as const

export interface ListIntentsQuery {
  status?: Status
  from?: string
  to?: string
  page?: string
  limit?: string
}
