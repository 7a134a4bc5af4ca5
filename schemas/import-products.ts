/** Query of an import of products (docs/store.md). */
export const importProductsQuery = {
  type: 'object',
  properties: {
    dryRun: {
      description: 'Returns what the import would do, and changes nothing.',
      enum: ['true', 'false'],
    },
  },
  additionalProperties: false,
} as const

export interface ImportProductsQuery {
  dryRun?: 'true' | 'false'
}

/** A JSON body of 2 MiB cannot contain a longer text. */
const longestJsonCsv = 2 * 1024 * 1024

/** Body of an import as JSON. The file may also be the body itself, or the field `file` of a form. */
export const importProductsBody = {
  type: 'object',
  required: ['csv'],
  properties: {
    csv: {
      description: 'The text of the file.',
      type: 'string',
      minLength: 1,
      maxLength: longestJsonCsv,
      format: 'storable-text',
    },
  },
} as const
