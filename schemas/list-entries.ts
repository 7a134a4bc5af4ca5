import { pageQuery } from './page.ts'
import type { ValueOf } from './value-of.ts'

/** The types of ledger entries that merchants see. */
export const entryTypes = ['payment', 'refund', 'fee', 'payout'] as const
export type EntryType = (typeof entryTypes)[number]

const bookedSpan = {
  from: {
    description: 'Only items booked at or after this ISO 8601 date or date-time. Without an offset, the time is UTC.',
    type: 'string',
    format: 'date-or-time',
  },
  to: {
    description: 'Only items booked at or before this ISO 8601 date or date-time. A date means the end of that day.',
    type: 'string',
    format: 'date-or-time',
  },
} as const

/**
 * The query parameters of GET /dev/balance/entries. All values are strings, because they come from the URL. If a
 * parameter is repeated, its value becomes an array and is therefore invalid.
 */
export const listEntriesQuery = {
  type: 'object',
  properties: {
    type: { description: 'Only entries of this type.', enum: entryTypes },
    ...bookedSpan,
    ...pageQuery.properties,
  },
  additionalProperties: false,
} as const

/** The query parameters of GET /dev/refunds. */
export const listRefundsQuery = {
  type: 'object',
  properties: { ...bookedSpan, ...pageQuery.properties },
  additionalProperties: false,
} as const

export type ListRefundsQuery = ValueOf<typeof listRefundsQuery>

export type ListEntriesQuery = ValueOf<typeof listEntriesQuery>
