/** Query of an import of products (docs/store.md). */
export const importProductsQuery = {
  type: 'object',
  properties: {
    dryRun: { description: 'Answers what it would do, and changes nothing.', enum: ['true', 'false'] },
  },
  additionalProperties: false,
} as const

export interface ImportProductsQuery {
  dryRun?: 'true' | 'false'
}

/** JSON of 2 MiB has no longer one. */
const longestJsonCsv = 2 * 1024 * 1024

/** Body of an import that comes as JSON; the file may also be the body itself, or the field `file` of a form. */
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
