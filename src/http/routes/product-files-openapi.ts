import { exportProductsQuery } from '../../../schemas/export-products.ts'
import { importProductsBody, importProductsQuery } from '../../../schemas/import-products.ts'
import { described, largestExact, text } from '../../../schemas/responses/fields.ts'
import { importResult } from '../../../schemas/responses/import.ts'
import { inSection } from './openapi-text.ts'
import * as example from './products-example.ts'

export const aboutProductFiles = inSection('Products', {
  import: {
    operationId: 'importProducts',
    summary: 'Import products from a CSV file',
    description:
      'Creates and updates products, one row per variant. The import applies the whole file or, if it has a fault, nothing. `details.faults` then lists the faults by row and column.',
    query: importProductsQuery,
    body: importProductsBody,
    response: importResult,
    errors: ['SHOP_NOT_FOUND', 'AMOUNT_OUT_OF_RANGE'],
    example: { body: { csv: example.file }, response: example.imported },
  },
  export: {
    operationId: 'exportProducts',
    summary: 'Export products to a CSV file',
    description:
      'Returns all products, one row per variant, oldest product first. Importing the file again changes nothing.',
    query: exportProductsQuery,
    response: described('The CSV file.', { ...text(largestExact) }),
    errors: ['SHOP_NOT_FOUND'],
    example: { response: example.exported },
  },
})
