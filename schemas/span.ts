/** The part of a list's query that selects a time span (SPEC 4.3). */
export const spanQuery = {
  type: 'object',
  properties: {
    from: {
      description: 'ISO 8601 date or date-time, inclusive. UTC if it has no offset.',
      type: 'string',
      format: 'date-or-time',
    },
    to: {
      description: 'Like `from`; a bare date means the end of that day.',
      type: 'string',
      format: 'date-or-time',
    },
  },
} as const

export interface SpanQuery {
  from?: string
  to?: string
}
