import { maxPage } from '../page.ts'
import { count, described, objectOf } from './fields.ts'

/** Returns the schema of one page of a list (SPEC 4.3). */
export const pageOf = (item: object) =>
  objectOf({
    items: { type: 'array', maxItems: 100, items: item },
    page: { type: 'integer', minimum: 1, maximum: maxPage },
    limit: described('The number of items per page. A requested limit above 100 becomes 100.', {
      type: 'integer',
      minimum: 1,
      maximum: 100,
    }),
    total: described('The number of items on all pages.', count),
    hasMore: described('Whether there is another page.', { type: 'boolean' }),
  })
