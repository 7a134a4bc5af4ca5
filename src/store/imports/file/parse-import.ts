import type { ImportProductsQuery } from '../../../../schemas/import-products.ts'
import type { Deps } from '../../../deps.ts'
import { refuseLate } from '../plan/refuse-late.ts'
import { readRows } from './read-rows.ts'
import type { ProductRow } from './row.ts'

export interface ImportRequest {
  rows: readonly ProductRow[]
  isDryRun: boolean
}

/**
 * Parses an import request and its CSV file. Throws VALIDATION_ERROR with the file's faults, or SERVICE_UNAVAILABLE if
 * the deadline has passed.
 */
export async function parseImport(
  deps: Pick<Deps, 'config'>,
  { dryRun = 'false' }: ImportProductsQuery,
  csv: unknown,
  deadlineAt: number,
): Promise<ImportRequest> {
  refuseLate(deadlineAt)
  return { rows: await readRows(deps, csv), isDryRun: dryRun === 'true' }
}
