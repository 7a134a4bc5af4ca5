import type { ValueOf } from './value-of.ts'

/** The highest page number that a request may contain. No list has anywhere near this many pages. */
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

/** The schema of the query string for operations that accept no query parameters. */
export const emptyQuery = { type: 'object', properties: {}, additionalProperties: false } as const

export type PageQuery = ValueOf<typeof pageQuery>
