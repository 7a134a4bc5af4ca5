import type { ValueOf } from './value-of.ts'

/** The two fields of a time span. `what` begins their descriptions, and `note` ends that of `to`. */
export const spanOf = (what: string, note = '') =>
  ({
    from: {
      description: `${what} at or after this ISO 8601 date or date-time. Without an offset, the time is UTC.`,
      type: 'string',
      format: 'date-or-time',
    },
    to: {
      description: `${what} at or before this ISO 8601 date or date-time. A date means the end of that day.${note}`,
      type: 'string',
      format: 'date-or-time',
    },
  }) as const

/** The query parameters that limit a list to a time span (SPEC 4.3). */
export const spanQuery = { type: 'object', properties: spanOf('Only items created') } as const

export type SpanQuery = ValueOf<typeof spanQuery>
