import { type ImportProductsQuery, importProductsFields } from '../../../../schemas/import-products.ts'
import type { Deps } from '../../../deps.ts'
import { refuseLate } from '../../../errors.ts'
import { readRows } from './read-rows.ts'
import type { ProductRow } from './row.ts'

export interface ImportRequest {
  rows: readonly ProductRow[]
  isDryRun: boolean
}

/** The body of an import: the file, and the names of the fields beside it. */
export interface FileBody {
  csv: unknown
  kind: keyof typeof importProductsFields
  others: string[]
}

/**
 * Parses an import request and its CSV file. Throws VALIDATION_ERROR with the file's faults, or SERVICE_UNAVAILABLE if
 * the deadline has passed.
 */
export async function parseImport(
  deps: Pick<Deps, 'config' | 'validate'>,
  { dryRun = 'false' }: ImportProductsQuery,
  { csv, kind, others }: FileBody,
  deadlineAt: number,
): Promise<ImportRequest> {
  refuseLate(deadlineAt)
  deps.validate(importProductsFields[kind], Object.fromEntries(others.map((name) => [name, true])))
  return { rows: await readRows(deps, csv), isDryRun: dryRun === 'true' }
}
