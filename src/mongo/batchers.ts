import { type Model, mongo } from 'mongoose'
import { unavailable } from '../platform/errors.ts'
import { createOneAtATime } from '../platform/one-at-a-time.ts'
import { withTimeout } from '../platform/timeout.ts'
import { nativeCollection } from './collection.ts'

/**
 * Collects the operations of concurrent callers and sends them to MongoDB in batches. A batcher sends one batch at a
 * time. Operations that arrive while a batch is running go into the next batch, and an operation that arrives while
 * none is running is sent immediately. `deadlineAt` is the caller's deadline on the clock of `performance.now()`. An
 * operation that has not been sent by this deadline is dropped, and the batcher throws SERVICE_UNAVAILABLE.
 */
export type Batcher<Item, Outcome> = (item: Item, deadlineAt: number) => Promise<Outcome>

/**
 * The deadline for operations in a worker. No request is waiting for these operations, so only the driver's timeouts
 * apply.
 */
export const noDeadline = Number.POSITIVE_INFINITY

interface Waiting<Item, Outcome> {
  item: Item
  deadlineAt: number
  resolve: (outcome: Outcome) => void
  reject: (error: unknown) => void
}

/**
 * How long a batcher rests from the start of a batch of this many operations until the next one, if no request is
 * waiting for the results. Below 100 operations per second, the next operation hardly waits. Above, the rests soon take
 * 30 ms, and from 1000 per second on, each batch is larger than the one before until they take 60 ms. In measurements,
 * shorter rests made requests slower at 200 events per second, because commands take processor time, and longer ones
 * than 60 ms made the whole system slower.
 */
export const backgroundRest = (operations: number): number =>
  Math.max(Math.min(operations * 10, 30), Math.min(operations, 60))

/**
 * Creates a batcher. `send` must return one outcome per item, in the same order. If an outcome is an Error, only that
 * item's caller is rejected. `restAfter` returns the minimum time from the start of a batch of so many operations to
 * the start of the next one.
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
    // When a batch ends, it wakes many callers, which pass their next operations within the same iteration of the event
    // loop. Waiting until the end of that iteration collects all of these operations in one batch.
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
    const inTime: Waiting<Item, Outcome>[] = []
    for (const one of taken)
      if (one.deadlineAt > now) inTime.push(one)
      else one.reject(unavailable())
    if (inTime.length === 0) return
    try {
      const sending = send(inTime.map((one) => one.item))
      const outcomes = await withTimeout(sending, flushTimeoutMs, () => {
        throw unavailable()
      })
      inTime.forEach((one, index) => settle(one, outcomes[index] as Outcome | Error))
    } catch (error) {
      for (const one of inTime) one.reject(error)
    }
  }

  return (item, deadlineAt) =>
    new Promise((resolve, reject) => {
      waiting.push({ item, deadlineAt, resolve, reject })
      if (!isDraining) void drain()
    })
}

/**
 * How long the batcher waits for a batch, so that a batch that hangs does not block the batcher forever. A single call
 * to MongoDB always ends sooner. If a batch makes two calls to a failing server, the batcher may stop waiting during
 * the second call. The outcome of that call is then unknown, and the next batch may run in parallel with the call.
 */
const flushTimeoutMs = 7000

function settle<Item, Outcome>(one: Waiting<Item, Outcome>, outcome: Outcome | Error): void {
  if (outcome instanceof Error) one.reject(outcome)
  else one.resolve(outcome)
}

/**
 * Creates a batcher for reads by id. The batcher sends one `find` for all waiting callers, and returns null for an id
 * if there is no such document. Nothing is cached.
 */
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

/**
 * Creates a batcher for reads by `_id` in one collection. The batcher reads only the fields in `projection`, or whole
 * documents if there is no `projection`.
 */
export const createByIdBatcher = <Stored extends { _id: string }, Doc extends { _id: string } = Stored>(
  model: Model<Stored>,
  projection: Record<string, 1 | { $slice: number }> = {},
): Batcher<string, Doc | null> =>
  createReadBatcher<Doc>(
    (ids) =>
      nativeCollection(model)
        .find<Doc>({ _id: { $in: ids } } as object, { projection })
        .toArray(),
    (doc) => [doc._id],
  )

/**
 * The result of an insert. If the document was not inserted, `index` is the name of the unique index that already
 * contains the document's value.
 */
export type Insertion = { inserted: true } | { inserted: false; index: string }

/**
 * Creates a batcher for inserts. `insertMany` must be unordered. Because each document already has its `_id`, sending
 * the same insert twice is safe. After a connection error or a write concern error, all callers of the batch are
 * rejected, because the outcome of their inserts is unknown.
 */
export const createInsertBatcher = <Doc>(insertMany: (docs: Doc[]) => Promise<unknown>): Batcher<Doc, Insertion> =>
  createBatcher(longestBatch, (docs) => insertTogether(insertMany, docs))

/** The most writes in a batch, which takes much less time than a request may wait. */
const longestBatch = 500

/** Creates a batcher for inserts into one collection. */
export const insertsOf = <Doc extends { _id: string }>(model: Model<Doc>) =>
  createInsertBatcher<Doc>((docs) => nativeCollection(model).insertMany(docs as never, { ordered: false }))

async function insertTogether<Doc>(
  insertMany: (docs: Doc[]) => Promise<unknown>,
  docs: Doc[],
): Promise<(Insertion | Error)[]> {
  try {
    await insertMany(docs)
    return docs.map(() => ({ inserted: true }))
  } catch (error) {
    if (error instanceof mongo.MongoBulkWriteError) return outcomesOf(error, docs.length)
    // An error that is not a MongoError means that one of the documents cannot be encoded. Such a document makes the
    // whole batch fail, so each document is now sent separately.
    if (error instanceof mongo.MongoError || docs.length === 1) throw error
    const alone = await Promise.allSettled(docs.map((doc) => insertTogether(insertMany, [doc])))
    return alone.map((one) => (one.status === 'fulfilled' ? one.value[0] : one.reason) as Insertion | Error)
  }
}

function outcomesOf(error: mongo.MongoBulkWriteError, count: number): (Insertion | Error)[] {
  const faults = [error.writeErrors].flat()
  if (faults.length === 0 || error.result.getWriteConcernError() !== undefined) throw error
  const outcomes: (Insertion | Error)[] = Array.from({ length: count }, () => ({ inserted: true }))
  for (const fault of faults) outcomes[fault.index] = outcomeOf(fault)
  return outcomes
}

/**
 * Keeps only the name of the index from MongoDB's error message, because the message also quotes stored values, such as
 * payment codes.
 */
function outcomeOf(fault: { code: number; errmsg?: string | undefined }): Insertion | Error {
  const index = /index: (\S+) dup key/.exec(fault.errmsg ?? '')?.[1]
  if (fault.code === 11000 && index !== undefined) return { inserted: false, index }
  return new Error(`MongoDB refused an insert with code ${fault.code}`)
}

/** An update to one document that takes effect only if its guard matches. */
export interface GuardedUpdate {
  /** The `_id` of the document, and the guard. Values are not cast, so they must already have the correct types. */
  filter: { _id: string; [field: string]: unknown }
  update: Record<string, unknown> | Record<string, unknown>[]
  /**
   * A condition that the document meets only if this update has been made. The batcher checks this condition only if
   * some of the guards in a batch did not match.
   */
  proof: Record<string, unknown>
}

type Written = boolean | Error

/**
 * Creates a batcher for guarded updates. The batcher sends the updates of all waiting callers in one bulk write. Each
 * update has its own guard, and each caller learns whether the guard of its update matched. A batch contains at most
 * one update per document, so further updates of the same document wait for the next batch.
 */
export function createUpdateBatcher<Doc extends { _id: string }>(
  collection: mongo.Collection<Doc>,
): Batcher<GuardedUpdate, boolean> {
  const batcher = createBatcher<GuardedUpdate, boolean>(longestBatch, (batch) => updateTogether(collection, batch))
  const oneAtATime = createOneAtATime()
  return (update, deadlineAt) => oneAtATime(update.filter._id, () => batcher(update, deadlineAt))
}

/** Never throws. After a connection error or a write concern error, the outcome of every update is that error. */
async function updateTogether<Doc extends { _id: string }>(
  collection: mongo.Collection<Doc>,
  batch: GuardedUpdate[],
): Promise<Written[]> {
  const operations = batch.map(({ filter, update }) => ({ updateOne: { filter, update } }))
  try {
    const { matchedCount } = await collection.bulkWrite(operations as never, { ordered: false })
    return matchedCount === batch.length ? batch.map(() => true) : await readOutcomes(collection, batch)
  } catch (error) {
    if (isUnknown(error as Error)) return batch.map(() => error as Error)
    if (batch.length === 1) return [withoutValues(error as Error)]
    // Each update is now sent separately, so that an update that cannot be encoded, or that MongoDB rejects, does not
    // make the others fail. If the batch had already made an update, the update's `proof` shows that it succeeded.
    const alone: Written[] = []
    for (const update of batch) alone.push(...(await updateTogether(collection, [update])))
    return alone
  }
}

/** Returns whether the outcome of a batch is unknown because the connection was lost or the write concern failed. */
function isUnknown(error: Error): boolean {
  const isRefusal = error instanceof mongo.MongoBulkWriteError && [error.writeErrors].flat().length > 0
  if (isRefusal) return error.result.getWriteConcernError() !== undefined
  return error instanceof mongo.MongoError
}

/** Replaces a MongoDB error, whose message may quote stored values, with one that quotes none. */
const withoutValues = (error: Error): Error =>
  error instanceof mongo.MongoError ? new Error(`MongoDB refused an update with code ${error.code}`) : error

/**
 * Finds out which of a batch's guards matched, because the result of a bulk write contains only the number of matches.
 * Reads only ids, because documents may be large and a batch may contain 500 updates.
 */
async function readOutcomes<Doc extends { _id: string }>(
  collection: mongo.Collection<Doc>,
  batch: GuardedUpdate[],
): Promise<boolean[]> {
  const proofs = batch.map(({ filter, proof }) => ({ _id: filter._id, ...proof }))
  const found = await collection.find({ $or: proofs } as object, { projection: { _id: 1 } }).toArray()
  const ids = new Set<unknown>(found.map(({ _id }) => _id))
  return batch.map(({ filter }) => ids.has(filter._id))
}
