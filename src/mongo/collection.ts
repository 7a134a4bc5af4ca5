import { type Connection, type Model, type mongo, Schema, type SchemaDefinition } from 'mongoose'

/**
 * An index of a collection: named, because a duplicate is told by the name of the index that refused it. Never `sparse`: the
 * Stable API does not read by such an index, and a partial one does the same.
 */
export interface Index {
  name: string
  key: Record<string, 1 | -1>
  unique?: boolean
  expireAfterSeconds?: number
  partialFilterExpression?: Record<string, unknown>
}

/** A collection as its folder describes it: fields, and the indexes that its queries and guards rest on. */
export interface Collection {
  name: string
  fields: SchemaDefinition
  indexes: readonly Index[]
}

/**
 * The model of a collection on one connection. Unknown fields in a filter or a change throw, `{}` stays `{}`,
 * and Mongoose creates nothing by itself (indexes: src/mongo/indexes.ts). If `maxTimeMs` is given, MongoDB
 * aborts each query after that time.
 */
export function openCollection<Doc>(
  connection: Connection,
  collection: Collection,
  maxTimeMs?: number,
): Model<Doc> {
  const schema = new Schema<Doc>(collection.fields as SchemaDefinition<Doc>, {
    collection: collection.name,
    versionKey: false,
    minimize: false,
    strict: 'throw',
    strictQuery: 'throw',
    autoIndex: false,
    autoCreate: false,
  })
  if (maxTimeMs !== undefined) limitReads(schema, maxTimeMs)
  return connection.model<Doc>(collection.name, schema)
}

/** MongoDB aborts each query after this, unless the query sets its own limit. */
function limitReads(schema: Schema, maxTimeMs: number): void {
  schema.pre(['find', 'findOne', 'countDocuments', 'distinct'], function () {
    this.setOptions({ maxTimeMS: maxTimeMs, ...this.getOptions() })
  })
  schema.pre('aggregate', function () {
    this.option({ maxTimeMS: maxTimeMs, ...this.options })
  })
}

/**
 * The collection itself, past mongoose: for the hot paths, where casting would double the price of a trip, and for
 * inserts, because mongoose's insertMany can drop a document in silence. What goes in there is made by us, not cast.
 */
export const nativeCollection = <Doc extends mongo.Document>(model: Model<Doc>): mongo.Collection<Doc> =>
  model.collection as unknown as mongo.Collection<Doc>

/** Whether MongoDB refused a write because a unique index has that value already. */
export const isDuplicate = (error: unknown): boolean => (error as { code?: unknown }).code === 11000

/** For writes that nothing is lost with: they need not wait for the journal, nor make it be written. */
export const advisory = { w: 1, journal: false } as const
