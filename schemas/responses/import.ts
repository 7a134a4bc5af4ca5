import { maxHandleLength } from '../product-limits.ts'
import { count, described, objectOf, text } from './fields.ts'

const handles = { type: 'array', maxItems: 100, items: text(maxHandleLength) }

/** The changes that an import made, or that a dry run would have made. */
export const importResult = objectOf(
  {
    created: described('The number of products created.', count),
    updated: described('The number of products changed.', count),
    unchanged: described('The number of products that already matched the file.', count),
    variants: described('The number of variants created or changed.', count),
    rows: described('The number of rows in the file, without the header and blank rows.', count),
  },
  {
    dryRun: described('Present only in a dry run, which changes nothing.', { type: 'boolean', const: true }),
    handles: described(
      'Present only in a dry run: the handles of the first 100 products of each kind.',
      objectOf({ created: handles, updated: handles, unchanged: handles }),
    ),
  },
)
