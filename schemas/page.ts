/** The highest page number accepted. No list is anywhere near that long. */
export const maxPage = 999_999_999_999_999

/** The query parameters of a list that has no filters (SPEC 4.3). */
export const pageQuery = {
  type: 'object',
  properties: {
    page: { description: 'The page number, from 1.', type: 'string', format: 'page-number' },
    limit: {
      description: 'The number of items per page. A number above 100 means 100.',
      type: 'string',
      format: 'page-size',
    },
  },
  additionalProperties: false,
} as const

/** The query of an operation that accepts no parameters. */
export const emptyQuery = { type: 'object', properties: {}, additionalProperties: false } as const

export interface PageQuery {
  page?: string
  limit?: string
}
