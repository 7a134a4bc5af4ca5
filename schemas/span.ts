/** The part of a list's query that says which span of time (SPEC 4.3). */
export const spanQuery = {
  type: 'object',
  properties: {
    from: { type: 'string', format: 'date-or-time' },
    to: { type: 'string', format: 'date-or-time' },
  },
} as const

export interface SpanQuery {
  from?: string
  to?: string
}
