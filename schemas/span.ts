/** The part of a list's query that says which span of time (SPEC 4.3). */
export const spanQuery = {
  type: 'object',
  properties: {
    from: {
      description: 'ISO 8601 date or date-time, inclusive; UTC without an offset.',
      type: 'string',
      format: 'date-or-time',
    },
    to: {
      description: 'The same; a bare date means the end of that day.',
      type: 'string',
      format: 'date-or-time',
    },
  },
} as const

export interface SpanQuery {
  from?: string
  to?: string
}
