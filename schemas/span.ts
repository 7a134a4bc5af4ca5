import type { ValueOf } from './value-of.ts'

/** The query parameters that limit a list to a time span (SPEC 4.3). */
export const spanQuery = {
  type: 'object',
  properties: {
    from: {
      description:
        'Only items created at or after this ISO 8601 date or date-time. Without an offset, the time is UTC.',
      type: 'string',
      format: 'date-or-time',
    },
    to: {
      description: 'Only items created at or before this ISO 8601 date or date-time. A date means the end of that day.',
      type: 'string',
      format: 'date-or-time',
    },
  },
} as const

export type SpanQuery = ValueOf<typeof spanQuery>
