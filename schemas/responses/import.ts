import { longestHandle } from '../product-limits.ts'
import { count, objectOf, saying, text } from './fields.ts'

const handles = { type: 'array', maxItems: 100, items: text(longestHandle) }

/** What an import did, or would do if it is a dry run. */
export const importResult = objectOf(
  {
    created: saying('Products created.', count),
    updated: saying('Products changed.', count),
    unchanged: saying('Products that were already as in the file.', count),
    variants: saying('Variants created or changed.', count),
    rows: saying('Rows read.', count),
  },
  {
    dryRun: saying('Only in a dry run.', { type: 'boolean', const: true }),
    handles: saying(
      'Only in a dry run: the first 100 handles of each kind.',
      objectOf({ created: handles, updated: handles, unchanged: handles }, {}),
    ),
  },
)
