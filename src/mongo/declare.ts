import type { Document, Fields } from './fields.ts'

/**
 * Every index has a name, so that a duplicate error shows which one it was. None is `sparse`, because MongoDB doesn't
 * use sparse indexes for queries under the Stable API; partial ones do the job.
 */
export interface Index {
  name: string
  key: Record<string, 1 | -1>
  unique?: boolean
  expireAfterSeconds?: number
  partialFilterExpression?: Record<string, unknown>
}

/** Makes an index contain only documents that have this field. */
export const ifPresent = (field: string): Pick<Index, 'partialFilterExpression'> => ({
  partialFilterExpression: { [field]: { $exists: true } },
})

/** Makes an index contain only documents in which this field is a date. */
export const ifDate = (field: string): Pick<Index, 'partialFilterExpression'> => ({
  partialFilterExpression: { [field]: { $type: 'date' } },
})

export interface Collection<F extends Fields = Fields> {
  name: string
  /** How long documents live, and what removes them. */
  kept: string
  fields: F
  indexes: readonly Index[]
}

/** The type of the collection's documents is `Stored<typeof declaration>`. */
export const collection = <F extends Fields>(declared: Collection<F>): Collection<F> => declared
export type Stored<C extends Collection> = Document<C['fields']>
