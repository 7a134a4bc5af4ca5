import { type Connection, type Model, mongo, Schema } from 'mongoose'
import { type CollectionDeclaration } from './declare.ts'
import { toMongooseFields } from './fields.ts'

/** Cached, because tests open each model on hundreds of connections. */
const schemas = new WeakMap<CollectionDeclaration, Map<number | undefined, Schema>>()

export function openModel<Doc>(
  connection: Connection,
  declared: CollectionDeclaration,
  maxTimeMs?: number,
): Model<Doc> {
  const known = schemas.get(declared) ?? new Map<number | undefined, Schema>()
  schemas.set(declared, known)
  const schema = known.get(maxTimeMs) ?? createSchema(declared, maxTimeMs)
  known.set(maxTimeMs, schema)
  return connection.model<Doc>(declared.name, schema as unknown as Schema<Doc>)
}

function createSchema(declared: CollectionDeclaration, maxTimeMs: number | undefined): Schema {
  const schema = new Schema(toMongooseFields(declared.fields), {
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

function limitReads(schema: Schema, maxTimeMs: number): void {
  schema.pre(['find', 'findOne', 'countDocuments', 'distinct'], function () {
    this.setOptions({ maxTimeMS: maxTimeMs, ...this.getOptions() })
  })
  schema.pre('aggregate', function () {
    this.option({ maxTimeMS: maxTimeMs, ...this.options })
  })
}

/**
 * Bypasses Mongoose, whose casts double the cost of a call. Always insert with
 * this, because Mongoose's `insertMany` can silently drop a document.
 */
export const rawCollection = <Doc extends mongo.Document>(model: Model<Doc>): mongo.Collection<Doc> =>
  model.collection as unknown as mongo.Collection<Doc>

export const isDuplicateKey = (error: unknown): boolean => (error as { code?: unknown }).code === 11000

export function nullIfDuplicate(error: unknown): null {
  if (isDuplicateKey(error)) return null
  throw error
}

export const isWriteConflict = (error: unknown): boolean => (error as { code?: unknown }).code === 112

/** 50 is MaxTimeMSExpired. */
export const isMaxTimeError = (error: unknown) => error instanceof mongo.MongoServerError && error.code === 50

export function isOnlyDuplicates(error: unknown): error is mongo.MongoBulkWriteError {
  if (!(error instanceof mongo.MongoBulkWriteError)) return false
  const faults = [error.writeErrors].flat()
  return faults.length > 0 && !error.result.getWriteConcernError() && faults.every(isDuplicateKey)
}

const int32 = 2 ** 31

/** Eight times as fast as the driver, but supports only the types we store. */
export const measureBson = (...docs: object[]) => docs.reduce((sum: number, each) => sum + sizeOf(each), 0)

function sizeOf(value: unknown): number {
  if (typeof value === 'string') return 5 + Buffer.byteLength(value)
  if (typeof value === 'number') return Number.isInteger(value) && value >= -int32 && value < int32 ? 4 : 8
  if (typeof value === 'boolean') return 1
  if (value === null || value === undefined) return 0
  if (value instanceof Date) return 8
  let size = 5
  // `for … in` would convert every array index to a string.
  if (Array.isArray(value))
    for (let at = 0; at < value.length; at += 1) size += 2 + `${at}`.length + sizeOf(value[at])
  else for (const name in value) size += 2 + name.length + sizeOf(value[name as keyof typeof value])
  return size
}
