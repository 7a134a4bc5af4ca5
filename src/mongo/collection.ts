import { type Connection, type Model, type mongo, Schema, type SchemaDefinition } from 'mongoose'

/**
 * An index of a collection. It has a name, because a duplicate is recognised by the index that rejected it. It is never
 * `sparse`: the Stable API does not read through a sparse index, and a partial index serves the same purpose.
 */
export interface Index {
  name: string
  key: Record<string, 1 | -1>
  unique?: boolean
  expireAfterSeconds?: number
  partialFilterExpression?: Record<string, unknown>
}

/** A collection: its fields, and the indexes that its queries and guards need. */
export interface Collection {
  name: string
  fields: SchemaDefinition
  indexes: readonly Index[]
}

/**
 * A collection's model on one connection. Unknown fields in a filter or a change throw, an empty object is stored as it
 * is, and Mongoose creates no collections or indexes (src/mongo/indexes.ts). If `maxTimeMs` is given, MongoDB aborts
 * each query after that time.
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

/** Sets a limit for each query that has no limit of its own. */
function limitReads(schema: Schema, maxTimeMs: number): void {
  schema.pre(['find', 'findOne', 'countDocuments', 'distinct'], function () {
    this.setOptions({ maxTimeMS: maxTimeMs, ...this.getOptions() })
  })
  schema.pre('aggregate', function () {
    this.option({ maxTimeMS: maxTimeMs, ...this.options })
  })
}

/**
 * A model's collection in the driver, without Mongoose: for hot paths, where casting would double the cost of a call,
 * and for inserts, because Mongoose's insertMany can silently drop a document. Values must already have the right
 * types.
 */
export const nativeCollection = <Doc extends mongo.Document>(model: Model<Doc>): mongo.Collection<Doc> =>
  model.collection as unknown as mongo.Collection<Doc>

/** Whether MongoDB rejected a write because a unique index already contains its value. */
export const isDuplicate = (error: unknown): boolean => (error as { code?: unknown }).code === 11000

/** The write concern of writes that may be lost. They do not wait for the journal and do not flush it. */
export const advisory = { w: 1, journal: false } as const
