import type { ImportProductsQuery } from '../../../../schemas/import-products.ts'
import type { Deps } from '../../../deps.ts'
import { refuseLate } from '../plan/refuse-late.ts'
import { readRows } from './read-rows.ts'
import type { ProductRow } from './row.ts'

/** An import as asked for. */
export interface ImportRequest {
  rows: readonly ProductRow[]
  isDryRun: boolean
}

/** Parses the file of an import. Throws VALIDATION_ERROR with the first faults by row and column, or SERVICE_UNAVAILABLE if `until` has passed. */
export async function parseImport(
  deps: Pick<Deps, 'config'>,
  { dryRun = 'false' }: ImportProductsQuery,
  csv: unknown,
  deadlineAt: number,
): Promise<ImportRequest> {
  refuseLate(deadlineAt)
  return { rows: await readRows(deps, csv), isDryRun: dryRun === 'true' }
}
