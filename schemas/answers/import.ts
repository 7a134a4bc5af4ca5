import { longestHandle } from '../product-limits.ts'
import { count, objectOf, saying, text } from './fields.ts'

const handles = { type: 'array', maxItems: 100, items: text(longestHandle) }

/** What an import did. Of a dry run: what it would do. */
export const importResult = objectOf(
  {
    created: saying('Products.', count),
    updated: saying('Products.', count),
    unchanged: saying('Products.', count),
    variants: saying('Variants that were made or changed.', count),
    rows: saying('Rows that were read.', count),
  },
  {
    dryRun: saying('Only of a dry run.', { type: 'boolean', const: true }),
    handles: saying(
      'Only of a dry run: the first hundred each.',
      objectOf({ created: handles, updated: handles, unchanged: handles }, {}),
    ),
  },
)
