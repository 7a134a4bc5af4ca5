/** Query of a list without filters (SPEC 4.3). */
export const pageQuery = {
  type: 'object',
  properties: {
    page: { type: 'string', format: 'page-number' },
    limit: { type: 'string', format: 'page-size' },
  },
} as const

export interface PageQuery {
  page?: string
  limit?: string
}
