import { exportProductsQuery } from '../../../schemas/export-products.ts'
import { importProductsBody, importProductsQuery } from '../../../schemas/import-products.ts'
import { largestExact, saying, text } from '../../../schemas/responses/fields.ts'
import { importResult } from '../../../schemas/responses/import.ts'
import type { About } from './openapi-text.ts'
import * as example from './products-example.ts'

export const aboutProductFiles = {
  import: {
    operationId: 'importProducts',
    tag: 'Products',
    summary: 'Create and change products with a CSV file',
    description:
      'Applies all of the file or nothing. `details.faults` lists the errors in the file by row and column.',
    params: {},
    query: importProductsQuery,
    body: importProductsBody,
    answer: importResult,
    errors: ['SHOP_NOT_FOUND', 'AMOUNT_OUT_OF_RANGE'],
    example: { body: { csv: example.file }, answer: example.imported },
  },
  export: {
    operationId: 'exportProducts',
    tag: 'Products',
    summary: 'Export all products as a CSV file',
    description: 'One row for each variant, oldest product first. Importing the file again changes nothing.',
    params: {},
    query: exportProductsQuery,
    body: null,
    answer: saying('The file.', { ...text(largestExact) }),
    errors: ['SHOP_NOT_FOUND'],
    example: { answer: example.exported },
  },
} as const satisfies Record<string, About>
