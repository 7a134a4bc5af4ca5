import { type ImportProductsQuery, importProductsQuery } from '../../../schemas/import-products.ts'
import type { Deps } from '../../deps.ts'
import { readRows } from './read-rows.ts'
import type { ProductRow } from './row.ts'

/** An import as asked for. */
export interface AskedImport {
  rows: readonly ProductRow[]
  isDryRun: boolean
}

/** Judges the query of an import and reads its file. VALIDATION_ERROR, for the file with every fault by row and column. */
export async function parseImport(
  deps: Pick<Deps, 'validate' | 'config'>,
  query: unknown,
  csv: unknown,
): Promise<AskedImport> {
  const { dryRun = 'false' } = deps.validate<ImportProductsQuery>(importProductsQuery, query)
  return { rows: await readRows(deps, csv), isDryRun: dryRun === 'true' }
}
