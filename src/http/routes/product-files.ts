import { readDelimiter } from '../../../schemas/delimiter.ts'
import type { ExportProductsQuery } from '../../../schemas/export-products.ts'
import type { ImportProductsQuery } from '../../../schemas/import-products.ts'
import { exportProducts } from '../../store/exports/export-products.ts'
import { type FileBody, parseImport } from '../../store/imports/file/parse-import.ts'
import { importProducts } from '../../store/imports/import-products.ts'
import type { OperationInput, Route } from '../operations/route.ts'
import { csvType } from '../responses/download.ts'
import { aboutProductFiles } from './product-files-openapi.ts'

/** The operations that import and export products as CSV files (SPEC 4.9). */
export const productCsvRoutes: readonly Route[] = [
  {
    method: 'post',
    path: '/dev/store/products/import-csv',
    about: aboutProductFiles.import,
    scope: 'store.products:write',
    body: 'csv',
    run: async (deps, caller, { query, body }: OperationInput<ImportProductsQuery>, request) =>
      (await request.earlier()) ??
      deps.importOneAtATime(caller.businessId, async () => {
        const input = await parseImport(deps, query, body as FileBody, request.deadlineAt)
        return importProducts(deps, caller, input, request)
      }),
  },
  {
    method: 'get',
    path: '/dev/store/products/export-csv',
    about: aboutProductFiles.export,
    scope: 'store.products:read',
    download: async (deps, caller, { query }: OperationInput<ExportProductsQuery>) => ({
      contentType: csvType,
      fileName: 'products.csv',
      pieces: exportProducts(deps, caller, readDelimiter(query.delimiter)),
    }),
  },
]
