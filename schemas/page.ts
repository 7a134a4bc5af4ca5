/** Query of a list without filters (SPEC 4.3). */
export const pageQuery = {
  type: 'object',
  properties: {
    page: { type: 'string', format: 'positive-integer' },
    limit: { type: 'string', format: 'positive-integer' },
  },
} as const

export interface PageQuery {
  page?: string
  limit?: string
}
