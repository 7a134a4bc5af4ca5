import { pageQuery, queryOf } from './page.ts'
import { spanOf } from './span.ts'
import type { ValueOf } from './value-of.ts'

/** The types of ledger entries that merchants see. */
export const entryTypes = ['payment', 'refund', 'fee', 'payout'] as const
export type EntryType = (typeof entryTypes)[number]

const bookedSpan = spanOf('Only items booked')

/** The query parameters of GET /dev/balance/entries. */
export const listEntriesQuery = queryOf({
  type: { description: 'Only entries of this type.', enum: entryTypes },
  ...bookedSpan,
  ...pageQuery.properties,
})

/** The query parameters of GET /dev/refunds. */
export const listRefundsQuery = queryOf({ ...bookedSpan, ...pageQuery.properties })

export type ListRefundsQuery = ValueOf<typeof listRefundsQuery>

export type ListEntriesQuery = ValueOf<typeof listEntriesQuery>
