import { type Model, mongo } from 'mongoose'
import { unavailable } from '../platform/errors.ts'
import { createOneAtATime } from '../platform/one-at-a-time.ts'
import { withTimeout } from '../platform/timeout.ts'
import { nativeCollection } from './collection.ts'

/**
 * Collects operations of concurrent callers and sends them to MongoDB in batches, one batch at a time. What arrives
 * meanwhile goes into the next batch; an idle batcher sends at once. An operation not sent by `deadlineAt` (a
 * `performance.now()` time) is dropped, and its caller gets SERVICE_UNAVAILABLE.
 */
export type Batcher<Item, Outcome> = (item: Item, deadlineAt: number) => Promise<Outcome>

/** Workers use this: no request waits for them, so only the driver's timeouts apply. */
export const noDeadline = Number.POSITIVE_INFINITY

interface Waiting<Item, Outcome> {
  item: Item
  deadlineAt: number
  resolve: (outcome: Outcome) => void
  reject: (error: unknown) => void
}

/**
 * How long to wait from the start of one batch to the next if no request waits for it. Below 100 operations per second,
 * the next one hardly waits. Above, the rests reach 30 ms, and from 1,000 per second on, batches grow until rests take
 * 60 ms. Measured: shorter rests slow down requests at 200 events per second, because commands take processor time, and
 * longer ones slow down the whole system.
 */
export const backgroundRest = (operations: number): number =>
  Math.max(Math.min(operations * 10, 30), Math.min(operations, 60))

/**
 * `send` must return one outcome per item, in the same order. If an outcome is an Error, only that item's caller is
 * rejected. `restAfter` returns the minimum time in ms from the start of a batch of so many operations to the next
 * start.
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
    // When a batch ends, it wakes many callers, which add their next operations in the same iteration of the event
    // loop. Waiting for the end of that iteration puts them all into one batch.
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
 * A batch that hangs must not block the batcher for ever. A single call to MongoDB always ends sooner. If a batch makes
 * two calls to a failing server, the second may be abandoned: its outcome is then unknown, and the next batch may run
 * beside it.
 */
const flushTimeoutMs = 7000

function settle<Item, Outcome>(one: Waiting<Item, Outcome>, outcome: Outcome | Error): void {
  if (outcome instanceof Error) one.reject(outcome)
  else one.resolve(outcome)
}

/** Sends one `find` for all waiting callers. Returns null for an id without a document. Nothing is cached. */
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

/** Reads documents by `_id`, whole ones if there's no `projection`. */
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

/** `index` names the unique index that already contains the value. */
export type Insertion = { inserted: true } | { inserted: false; index: string }

/**
 * `insertMany` must be unordered. Documents already have their `_id`, so sending one twice is safe. After a connection
 * error or a write concern error, the outcome is unknown and all callers of the batch are rejected.
 */
export const createInsertBatcher = <Doc>(
  insertMany: (docs: Doc[]) => Promise<unknown>,
): Batcher<Doc, Insertion> => createBatcher(longestBatch, (docs) => insertTogether(insertMany, docs))

/** A batch of this size takes much less time than a request may wait. */
const longestBatch = 500

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
    // Anything but a MongoError means that a document can't be encoded and fails the batch, so send each alone.
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

/** Keeps only the index name, because MongoDB's message also quotes stored values, such as payment codes. */
function outcomeOf(fault: { code: number; errmsg?: string | undefined }): Insertion | Error {
  const index = /index: (\S+) dup key/.exec(fault.errmsg ?? '')?.[1]
  if (fault.code === 11000 && index !== undefined) return { inserted: false, index }
  return new Error(`MongoDB refused an insert with code ${fault.code}`)
}

/** An update of one document that takes effect only if `filter` matches. */
export interface GuardedUpdate {
  /** The `_id` and the guard. Values aren't cast, so they must have the right types. */
  filter: { _id: string; [field: string]: unknown }
  update: Record<string, unknown> | Record<string, unknown>[]
  /** True only if this update was made. It's checked only if some guards of a batch didn't match. */
  proof: Record<string, unknown>
}

type Written = boolean | Error

/** Each caller learns whether its own guard matched. Updates of the same document go into different batches. */
export function createUpdateBatcher<Doc extends { _id: string }>(
  collection: mongo.Collection<Doc>,
): Batcher<GuardedUpdate, boolean> {
  const batcher = createBatcher<GuardedUpdate, boolean>(longestBatch, (batch) =>
    updateTogether(collection, batch),
  )
  const oneAtATime = createOneAtATime()
  return (update, deadlineAt) => oneAtATime(update.filter._id, () => batcher(update, deadlineAt))
}

/** Never throws. After a connection error or a write concern error, that error is the outcome of every update. */
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
    // Each update is now sent alone, so that one that can't be encoded, or that MongoDB rejects, doesn't make the
    // others fail. If one had already been made, its `proof` shows that.
    const alone: Written[] = []
    for (const update of batch) alone.push(...(await updateTogether(collection, [update])))
    return alone
  }
}

/** Whether the connection was lost or the write concern failed, so that the outcome is unknown. */
function isUnknown(error: Error): boolean {
  const isRefusal = error instanceof mongo.MongoBulkWriteError && [error.writeErrors].flat().length > 0
  if (isRefusal) return error.result.getWriteConcernError() !== undefined
  return error instanceof mongo.MongoError
}

/** MongoDB's message may quote stored values. This one quotes none. */
const withoutValues = (error: Error): Error =>
  error instanceof mongo.MongoError ? new Error(`MongoDB refused an update with code ${error.code}`) : error

/** A bulk write returns only the number of matches. Reads just ids, because up to 500 documents may be large. */
async function readOutcomes<Doc extends { _id: string }>(
  collection: mongo.Collection<Doc>,
  batch: GuardedUpdate[],
): Promise<boolean[]> {
  const proofs = batch.map(({ filter, proof }) => ({ _id: filter._id, ...proof }))
  const found = await collection.find({ $or: proofs } as object, { projection: { _id: 1 } }).toArray()
  const ids = new Set<unknown>(found.map(({ _id }) => _id))
  return batch.map(({ filter }) => ids.has(filter._id))
}
