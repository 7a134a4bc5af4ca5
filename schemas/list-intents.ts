import { merchantReference } from './create-intent.ts'
import { pageQuery } from './page.ts'
import { spanQuery } from './span.ts'

/** Every status that an intent can have (SPEC 3). */
export const statuses = ['PENDING', 'PAID', 'REFUNDED', 'CANCELLED', 'FAILED'] as const
export type Status = (typeof statuses)[number]

/**
 * The query parameters of GET /dev/intents (SPEC 4.3). All values are strings, because they come from the URL. If a
 * parameter is repeated, its value becomes an array and is therefore invalid.
 */
export const listIntentsQuery = {
  type: 'object',
  properties: {
    status: { description: 'Only intents in this status.', enum: statuses },
    merchantReference: {
      description: 'Only intents with exactly this merchantReference.',
      ...merchantReference,
    },
    ...spanQuery.properties,
    ...pageQuery.properties,
  },
  additionalProperties: false,
} as const

export interface ListIntentsQuery {
  status?: Status
  merchantReference?: string
  from?: string
  to?: string
  page?: string
  limit?: string
}
