import { type Model, mongo } from 'mongoose'
import { unavailable } from '../platform/errors.ts'
import { createKeyedMutex } from '../platform/one-at-a-time.ts'
import { withTimeout } from '../platform/timeout.ts'
import { nativeCollection } from './collection.ts'

/**
 * Sends concurrent operations to MongoDB in batches, one batch at a time. An idle batcher sends at once. An
 * operation still unsent at `deadlineAt` (a `performance.now()` time) is rejected with SERVICE_UNAVAILABLE.
 */
export type Batcher<Item, Outcome> = (item: Item, deadlineAt: number) => Promise<Outcome>

/** With this, only the driver's own timeouts apply. */
export const noDeadline = Number.POSITIVE_INFINITY

type Waiting<Item, Outcome> = PromiseWithResolvers<Outcome> & { item: Item; deadlineAt: number }

/**
 * Milliseconds between the starts of background batches. Measured at 200 events per second: shorter pauses
 * slow down requests, because commands take processor time, and longer ones slow down the whole system.
 */
export const backgroundRestMs = (operations: number): number =>
  Math.max(Math.min(operations * 10, 30), Math.min(operations, 60))

/**
 * `send` must return one outcome per item, in the order of the items. An Error rejects only its own item.
 * `restAfter` takes the size of a batch and returns the minimum ms until the next batch may start.
 */
export function createBatcher<Item, Outcome>(
  longestBatch: number,
  send: (items: Item[]) => Promise<(Outcome | Error)[]>,
  restAfter = (_operations: number): number => 0,
): Batcher<Item, Outcome> {
  const waiting: Waiting<Item, Outcome>[] = []
  let isDraining = false

  async function drain(): Promise<void> {
    isDraining = true
    // Waits, so that callers whose operations have just finished can add their next ones to this batch.
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

/** One call times out sooner. A batch of two slow calls is abandoned, so the next batch may overlap it. */
const flushTimeoutMs = 7000

/** Requests share a read only within a batch: this is not a cache. */
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
      nativeCollection(model)
        .find<Doc>({ _id: { $in: ids } } as object, { projection })
        .toArray(),
    (doc) => [doc._id],
  )

export type InsertOutcome = { inserted: true } | { inserted: false; index: string }

/**
 * `insertMany` must be unordered. Documents already have an `_id`, so sending one twice is safe. If the
 * outcome is unknown, all callers of the batch are rejected.
 */
export function createInsertBatcher<Doc>(insertMany: (docs: Doc[]) => Promise<unknown>) {
  return createBatcher(longestBatch, insertTogether)

  async function insertTogether(docs: Doc[]): Promise<(InsertOutcome | Error)[]> {
    try {
      await insertMany(docs)
      return docs.map(() => ({ inserted: true }))
    } catch (error) {
      if (error instanceof mongo.MongoBulkWriteError) return outcomesOf(error, docs.length)
      // Insert one by one, so that a document that can't be encoded doesn't fail the whole batch.
      if (error instanceof mongo.MongoError || docs.length === 1) throw error
      const alone = docs.map((doc) => insertTogether([doc]).catch((fault: Error) => [fault]))
      return (await Promise.all(alone)).flat()
    }
  }
}

const longestBatch = 500

export const createInserter = <Doc extends { _id: string }>(model: Model<Doc>) =>
  createInsertBatcher<Doc>((docs) => nativeCollection(model).insertMany(docs as never, { ordered: false }))

function outcomesOf(error: mongo.MongoBulkWriteError, count: number): (InsertOutcome | Error)[] {
  const faults = [error.writeErrors].flat()
  if (faults.length === 0 || error.result.getWriteConcernError() !== undefined) throw error
  const outcomes: (InsertOutcome | Error)[] = Array.from({ length: count }, () => ({ inserted: true }))
  for (const fault of faults) outcomes[fault.index] = outcomeOf(fault)
  return outcomes
}

/** Drops MongoDB's message, because it quotes stored values such as payment codes. */
function outcomeOf(fault: { code: number; errmsg?: string | undefined }): InsertOutcome | Error {
  const index = /index: (\S+) dup key/.exec(fault.errmsg ?? '')?.[1]
  if (fault.code === 11000 && index !== undefined) return { inserted: false, index }
  return new Error(`MongoDB refused an insert with code ${fault.code}`)
}

export interface GuardedUpdate {
  /** The `_id` and the guard. Mongoose doesn't cast the values. */
  filter: { _id: string; [field: string]: unknown }
  update: Record<string, unknown> | Record<string, unknown>[]
  /** A filter that matches only after this update. It's queried if a guard in the batch didn't match. */
  proof: Record<string, unknown>
}

/** Resolves to whether the guard matched. Updates of the same document never share a batch. */
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
      // Update one by one, so that an invalid update doesn't fail the others. `proof` finds those already made.
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
