import type { DocumentOf, StoredFields } from './fields.ts'

/**
 * The name shows which index a duplicate key violates. Use partial indexes,
 * because the Stable API ignores sparse ones.
 */
interface IndexDeclaration {
  name: string
  key: Record<string, 1 | -1>
  unique?: boolean
  expireAfterSeconds?: number
  partialFilterExpression?: Record<string, unknown>
}

export const indexIfPresent = (field: string) => ({
  partialFilterExpression: { [field]: { $exists: true } },
})

export const indexIfDate = (field: string) => ({
  partialFilterExpression: { [field]: { $type: 'date' } },
})

export interface CollectionDeclaration<F extends StoredFields = StoredFields> {
  name: string
  /** How long documents live, and what removes them. */
  kept: string
  fields: F
  indexes: readonly IndexDeclaration[]
}

export const declareCollection = <F extends StoredFields>(declared: CollectionDeclaration<F>) => declared
export type Stored<C extends CollectionDeclaration> = DocumentOf<C['fields']>
