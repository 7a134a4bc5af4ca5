import { type Model, mongo } from 'mongoose'
import { unavailable } from '../platform/errors.ts'
import { createKeyedMutex } from '../platform/one-at-a-time.ts'
import { withTimeout } from '../platform/timeout.ts'
import { rawCollection } from './collection.ts'

/**
 * Sends concurrent operations in batches, one batch at a time. An operation
 * that isn't sent by `deadlineAt` is rejected with SERVICE_UNAVAILABLE.
 */
export type Batcher<Item, Outcome> = (item: Item, deadlineAt: number) => Promise<Outcome>

export const noDeadline = Number.POSITIVE_INFINITY

type Waiting<Item, Outcome> = PromiseWithResolvers<Outcome> & { item: Item; deadlineAt: number }

/**
 * The rest between background batches, found by measuring. A shorter one
 * slows down requests, and a longer one slows down everything.
 */
export const backgroundRestMs = (operations: number): number =>
  Math.max(Math.min(operations * 10, 30), Math.min(operations, 60))

/** `send` returns one outcome per item. An Error rejects only its own item. */
export function createBatcher<Item, Outcome>(
  longestBatch: number,
  send: (items: Item[]) => Promise<(Outcome | Error)[]>,
  restAfter = (_operations: number): number => 0,
): Batcher<Item, Outcome> {
  const waiting: Waiting<Item, Outcome>[] = []
  let isDraining = false

  async function drain(): Promise<void> {
    isDraining = true
    // Callers whose operations have just finished can join this batch.
    await new Promise(setImmediate)
    while (waiting.length > 0) {
      const taken = waiting.splice(0, longestBatch)
      const restMs = restAfter(taken.length)
      const rest = restMs > 0 && new Promise((resolve) => setTimeout(resolve, restMs))
      await Promise.all([flush(taken), rest])
    }
    isDraining = false
  }

  async function flush(taken: Waiting<Item, Outcome>[]): Promise<void> {
    const now = performance.now()
    const { inTime = [], late = [] } = Object.groupBy(taken, (one) =>
      one.deadlineAt > now ? 'inTime' : 'late',
    )
    for (const one of late) one.reject(unavailable())
    if (inTime.length === 0) return
    try {
      const sending = send(inTime.map((one) => one.item))
      const outcomes = await withTimeout(sending, flushTimeoutMs, () => {
        throw unavailable()
      })
      for (const [index, one] of inTime.entries()) {
        const outcome = outcomes[index] as Outcome | Error
        if (outcome instanceof Error) one.reject(outcome)
        else one.resolve(outcome)
      }
    } catch (error) {
      for (const one of inTime) one.reject(error)
    }
  }

  return (item, deadlineAt) => {
    const one = { item, deadlineAt, ...Promise.withResolvers<Outcome>() }
    waiting.push(one)
    if (!isDraining) void drain()
    return one.promise
  }
}

/** A batch that takes longer is abandoned, so the next may overlap it. */
const flushTimeoutMs = 7000

/** Requests share a read only within a batch. This isn't a cache. */
export function createReadBatcher<Doc>(
  find: (ids: string[]) => Promise<Doc[]>,
  idsOf: (doc: Doc) => string[],
): Batcher<string, Doc | null> {
  return createBatcher(1000, async (ids) => {
    const found = new Map<string, Doc>()
    for (const doc of await find([...new Set(ids)])) for (const id of idsOf(doc)) found.set(id, doc)
    return ids.map((id) => found.get(id) ?? null)
  })
}

export const createByIdBatcher = <Stored extends { _id: string }, Doc extends { _id: string } = Stored>(
  model: Model<Stored>,
  projection: Record<string, 0 | 1 | { $slice: number }> = {},
): Batcher<string, Doc | null> =>
  createReadBatcher<Doc>(
    (ids) =>
      rawCollection(model)
        .find<Doc>({ _id: { $in: ids } } as object, { projection })
        .toArray(),
    (doc) => [doc._id],
  )

export type InsertOutcome = { inserted: true } | { inserted: false; index: string }

/**
 * `insertMany` must be unordered. Every document already has an `_id`, so it
 * can be sent twice.
 */
export function createInsertBatcher<Doc>(insertMany: (docs: Doc[]) => Promise<unknown>) {
  return createBatcher(longestBatch, insertTogether)

  async function insertTogether(docs: Doc[]): Promise<(InsertOutcome | Error)[]> {
    try {
      await insertMany(docs)
      return docs.map(() => ({ inserted: true }))
    } catch (error) {
      if (error instanceof mongo.MongoBulkWriteError) return outcomesOf(error, docs.length)
      // A document that can't be encoded must not fail the whole batch.
      if (error instanceof mongo.MongoError || docs.length === 1) throw error
      const alone = docs.map((doc) => insertTogether([doc]).catch((fault: Error) => [fault]))
      return (await Promise.all(alone)).flat()
    }
  }
}

const longestBatch = 500

export const createInserter = <Doc extends { _id: string }>(model: Model<Doc>) =>
  createInsertBatcher<Doc>((docs) => rawCollection(model).insertMany(docs as never, { ordered: false }))

function outcomesOf(error: mongo.MongoBulkWriteError, count: number): (InsertOutcome | Error)[] {
  const faults = [error.writeErrors].flat()
  if (faults.length === 0 || error.result.getWriteConcernError() !== undefined) throw error
  const outcomes: (InsertOutcome | Error)[] = Array.from({ length: count }, () => ({ inserted: true }))
  for (const fault of faults) outcomes[fault.index] = outcomeOf(fault)
  return outcomes
}

/** Omits MongoDB's message, which quotes values such as payment codes. */
function outcomeOf(fault: { code: number; errmsg?: string | undefined }): InsertOutcome | Error {
  const index = /index: (\S+) dup key/.exec(fault.errmsg ?? '')?.[1]
  if (fault.code === 11000 && index !== undefined) return { inserted: false, index }
  return new Error(`MongoDB refused an insert with code ${fault.code}`)
}

export interface GuardedUpdate {
  filter: { _id: string; [field: string]: unknown }
  update: Record<string, unknown> | Record<string, unknown>[]
  /** A filter that matches only documents with this update. */
  proof: Record<string, unknown>
}

/** Resolves to true if the guard matched. */
export function createUpdateBatcher<Doc extends { _id: string }>(
  collection: mongo.Collection<Doc>,
): Batcher<GuardedUpdate, boolean> {
  const batcher = createBatcher(longestBatch, updateTogether)
  const oneAtATime = createKeyedMutex()
  return (update, deadlineAt) => oneAtATime(update.filter._id, () => batcher(update, deadlineAt))

  async function updateTogether(batch: GuardedUpdate[]): Promise<(boolean | Error)[]> {
    const operations = batch.map(({ filter, update }) => ({ updateOne: { filter, update } }))
    try {
      const { matchedCount } = await collection.bulkWrite(operations as never, { ordered: false })
      return matchedCount === batch.length ? batch.map(() => true) : await readOutcomes(batch)
    } catch (error) {
      if (isUnknown(error as Error)) return batch.map(() => error as Error)
      if (batch.length === 1) return [withoutValues(error as Error)]
      // An invalid update must not fail the others.
      const alone: (boolean | Error)[] = []
      for (const update of batch) alone.push(...(await updateTogether([update])))
      return alone
    }
  }

  async function readOutcomes(batch: GuardedUpdate[]): Promise<boolean[]> {
    const proofs = batch.map(({ filter, proof }) => ({ _id: filter._id, ...proof }))
    const found = await collection.find({ $or: proofs } as object, { projection: { _id: 1 } }).toArray()
    const ids = new Set<unknown>(found.map(({ _id }) => _id))
    return batch.map(({ filter }) => ids.has(filter._id))
  }
}

function isUnknown(error: Error): boolean {
  const isRefusal = error instanceof mongo.MongoBulkWriteError && [error.writeErrors].flat().length > 0
  if (isRefusal) return error.result.getWriteConcernError() !== undefined
  return error instanceof mongo.MongoError
}

const withoutValues = (error: Error): Error =>
  error instanceof mongo.MongoError ? new Error(`MongoDB refused an update with code ${error.code}`) : error
