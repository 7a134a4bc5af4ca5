import {
  type Delimiter,
  type ExportProductsQuery,
  exportProductsQuery,
} from '../../../schemas/export-products.ts'
import type { Deps } from '../../deps.ts'

/** The delimiter of the file asked for: a comma, where nothing is said. */
export function parseExport(deps: Pick<Deps, 'validate'>, query: unknown): Delimiter {
  const { delimiter = ',' } = deps.validate<ExportProductsQuery>(exportProductsQuery, query)
  return delimiter
}
