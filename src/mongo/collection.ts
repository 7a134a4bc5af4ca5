import { type Connection, type Model, mongo, Schema } from 'mongoose'
import type { Collection } from './declare.ts'
import { definitionOf } from './fields.ts'

/** Schemas that were built before: a process opens the same models on two connections, and a test on hundreds. */
const schemas = new WeakMap<Collection, Map<number | undefined, Schema>>()

/**
 * Returns a collection's model on one connection. The model throws if a filter or an update contains an unknown field,
 * and it stores empty objects unchanged. Mongoose creates no collections or indexes, because context/indexes.ts
 * does that. If `maxTimeMs` is given, MongoDB aborts each query after that time.
 */
export function openCollection<Doc>(connection: Connection, declared: Collection, maxTimeMs?: number): Model<Doc> {
  const known = schemas.get(declared) ?? new Map<number | undefined, Schema>()
  schemas.set(declared, known)
  const schema = known.get(maxTimeMs) ?? createSchema(declared, maxTimeMs)
  known.set(maxTimeMs, schema)
  return connection.model<Doc>(declared.name, schema as unknown as Schema<Doc>)
}

function createSchema(declared: Collection, maxTimeMs: number | undefined): Schema {
  const schema = new Schema(definitionOf(declared.fields), {
    collection: declared.name,
    versionKey: false,
    minimize: false,
    strict: 'throw',
    strictQuery: 'throw',
    autoIndex: false,
    autoCreate: false,
  })
  if (maxTimeMs !== undefined) limitReads(schema, maxTimeMs)
  return schema
}

/** Sets a time limit of `maxTimeMs` for every query that has none of its own. */
function limitReads(schema: Schema, maxTimeMs: number): void {
  schema.pre(['find', 'findOne', 'countDocuments', 'distinct'], function () {
    this.setOptions({ maxTimeMS: maxTimeMs, ...this.getOptions() })
  })
  schema.pre('aggregate', function () {
    this.option({ maxTimeMS: maxTimeMs, ...this.options })
  })
}

/**
 * Returns the driver's own collection for a model. This collection bypasses Mongoose. Hot paths use it because
 * Mongoose's casting would double the cost of a call. Inserts use it because Mongoose's `insertMany` can silently drop
 * a document. The caller must pass values of the correct types, because they are not cast.
 */
export const nativeCollection = <Doc extends mongo.Document>(model: Model<Doc>): mongo.Collection<Doc> =>
  model.collection as unknown as mongo.Collection<Doc>

/** Returns whether MongoDB rejected a write because a unique index already contains the same value. */
export const isDuplicate = (error: unknown): boolean => (error as { code?: unknown }).code === 11000

/** Catches the error of an insert. */
export function nullIfDuplicate(error: unknown): null {
  if (isDuplicate(error)) return null
  throw error
}

/** Returns whether a transaction has failed because another one has changed the same document, or is changing it. */
export const isConflict = (error: unknown): boolean => (error as { code?: unknown }).code === 112

/** Returns whether MongoDB has aborted a query after its `maxTimeMS` (MaxTimeMSExpired). */
export const isTooSlow = (error: unknown): boolean => error instanceof mongo.MongoServerError && error.code === 50

/** Returns whether an insert of several documents failed only because some of them are already stored. */
export function isOnlyDuplicates(error: unknown): error is mongo.MongoBulkWriteError {
  if (!(error instanceof mongo.MongoBulkWriteError)) return false
  const faults = [error.writeErrors].flat()
  const isClear = faults.length > 0 && error.result.getWriteConcernError() === undefined
  return isClear && faults.every(isDuplicate)
}
