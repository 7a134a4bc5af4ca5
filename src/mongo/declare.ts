import type { Document, Fields } from './fields.ts'

/**
 * Every index has a name, so that the error of a duplicate shows which index it was. None is `sparse`, because MongoDB
 * does not use sparse indexes for queries under the Stable API. Partial ones are used instead.
 */
export interface Index {
  name: string
  key: Record<string, 1 | -1>
  unique?: boolean
  expireAfterSeconds?: number
  partialFilterExpression?: Record<string, unknown>
}

/** Makes an index contain only the documents that have this field. */
export const ifPresent = (field: string): Pick<Index, 'partialFilterExpression'> => ({
  partialFilterExpression: { [field]: { $exists: true } },
})

/** Makes an index contain only the documents in which this field is a date. */
export const ifDate = (field: string): Pick<Index, 'partialFilterExpression'> => ({
  partialFilterExpression: { [field]: { $type: 'date' } },
})

/** A collection, with its fields and the indexes that its queries and guards need. */
export interface Collection<F extends Fields = Fields> {
  name: string
  /** How long documents live, and what removes them. */
  kept: string
  fields: F
  indexes: readonly Index[]
}

/** Declares a collection. The type of its documents is `Stored<typeof declaration>`. */
export const collection = <F extends Fields>(declared: Collection<F>): Collection<F> => declared
export type Stored<C extends Collection> = Document<C['fields']>
