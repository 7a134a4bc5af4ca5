/** Query of an import of products (docs/store.md). */
export const importProductsQuery = {
  type: 'object',
  properties: {
    dryRun: { enum: ['true', 'false'] },
  },
} as const

export interface ImportProductsQuery {
  dryRun?: 'true' | 'false'
}
