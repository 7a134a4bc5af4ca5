import { queryOf } from './page.ts'
import type { ValueOf } from './value-of.ts'

/** The query parameters of a product import (docs/merchants/store.md). */
export const importProductsQuery = queryOf({
  dryRun: {
    description: 'If `true`, the service checks the file and returns what the import would do, but changes nothing.',
    enum: ['true', 'false'],
  },
})

export type ImportProductsQuery = ValueOf<typeof importProductsQuery>

/** The maximum length of the CSV text. A JSON body is limited to 2 MiB, so it cannot contain a longer text. */
const maxCsvLength = 2 * 1024 * 1024

/** The field that contains the file in each kind of body. `dryRun` is a query parameter. */
export const importProductsFields = {
  json: { type: 'object', properties: { csv: {} }, absenceWidens: ['dryRun'] },
  form: { type: 'object', properties: { file: {} }, absenceWidens: ['dryRun'] },
} as const

/**
 * The request body of an import that is sent as JSON. Alternatively, the client can send the file as the raw request
 * body, or in the `file` field of a form.
 */
export const importProductsBody = {
  ...importProductsFields.json,
  required: ['csv'],
  properties: {
    csv: {
      description: 'The text of the CSV file.',
      type: 'string',
      minLength: 1,
      maxLength: maxCsvLength,
      format: 'storable-text',
    },
  },
} as const
