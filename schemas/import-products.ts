/** Query of an import of products (docs/merchants/store.md). */
export const importProductsQuery = {
  type: 'object',
  properties: {
    dryRun: {
      description:
        'If `true`, the service checks the file and returns what the import would do, but changes nothing.',
      enum: ['true', 'false'],
    },
  },
  additionalProperties: false,
} as const

export interface ImportProductsQuery {
  dryRun?: 'true' | 'false'
}

/** The longest CSV text. A JSON body of 2 MiB cannot contain a longer one. */
const maxCsvLength = 2 * 1024 * 1024

/** Body of an import as JSON. The file can also be sent as the body itself, or as the `file` field of a form. */
export const importProductsBody = {
  type: 'object',
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
