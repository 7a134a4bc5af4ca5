import { highestPage } from '../page.ts'
import { count, objectOf, saying } from './fields.ts'

/** One page of a list of these (SPEC 4.3). */
export const pageOf = (item: object) =>
  objectOf(
    {
      items: { type: 'array', maxItems: 100, items: item },
      page: { type: 'integer', minimum: 1, maximum: highestPage },
      limit: saying('Items per page, as applied: above 100 becomes 100.', {
        type: 'integer',
        minimum: 1,
        maximum: 100,
      }),
      total: saying('The number of all items that match.', count),
      hasMore: saying('Whether another page follows.', { type: 'boolean' }),
    },
    {},
  )
