import { merchantReference } from './create-intent.ts'
import { pageQuery, queryOf } from './page.ts'
import { spanQuery } from './span.ts'
import type { ValueOf } from './value-of.ts'

/** Every status that an intent can have (SPEC 3). */
export const statuses = ['PENDING', 'PAID', 'REFUNDED', 'CANCELLED', 'FAILED'] as const
export type Status = (typeof statuses)[number]

const time = { type: 'string', format: 'date-or-time' } as const
const centimes = { type: 'string', format: 'centimes' } as const

/** The parameters of the ranges besides `from` and `to`. A list can be limited by one of these ranges at a time. */
export const rangeQuery = {
  paidFrom: {
    description: 'Only intents paid at or after this ISO 8601 date or date-time. Without an offset, the time is UTC.',
    ...time,
  },
  paidTo: {
    description: 'Only intents paid at or before this date or date-time. A date means the end of that day.',
    ...time,
  },
  refundedFrom: {
    description:
      'Only intents with a refund that SUCCEEDED at or after this date or date-time. With `refundedTo`, the same refund must be in the range.',
    ...time,
  },
  refundedTo: {
    description:
      'Only intents with a refund that SUCCEEDED at or before this date or date-time. A date means the end of that day.',
    ...time,
  },
  minAmount: {
    description:
      'Only intents of at least this many centimes: the amount paid or, if the intent is not paid, its `amount`. An OPEN intent that is not paid has no amount.',
    ...centimes,
  },
  maxAmount: { description: 'Only intents of at most this many centimes.', ...centimes },
} as const

/** The query parameters of GET /dev/intents (SPEC 4.3). */
export const listIntentsQuery = queryOf({
  status: { description: 'Only intents in this status.', enum: statuses },
  merchantReference: {
    description: 'Only intents with this merchantReference.',
    ...merchantReference,
  },
  ...spanQuery.properties,
  ...rangeQuery,
  ...pageQuery.properties,
})

export type ListIntentsQuery = ValueOf<typeof listIntentsQuery>
