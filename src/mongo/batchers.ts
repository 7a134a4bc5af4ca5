import { type Model, mongo } from 'mongoose'
import { unavailable } from '../platform/errors.ts'
import { createOneAtATime } from '../platform/one-at-a-time.ts'
import { withTimeout } from '../platform/timeout.ts'
import { nativeCollection } from './collection.ts'

/**
 * Collects operations of concurrent callers into batches, one batch at a time. What arrives meanwhile joins the next;
 * an idle batcher sends at once. Operations not sent by `deadlineAt` (a `performance.now()` time) are dropped and
 * reject with SERVICE_UNAVAILABLE.
 */
export type Batcher<Item, Outcome> = (item: Item, deadlineAt: number) => Promise<Outcome>

/** For workers: no request waits, so only the driver's timeouts apply. */
export const noDeadline = Number.POSITIVE_INFINITY

interface Waiting<Item, Outcome> {
  item: Item
  deadlineAt: number
  resolve: (outcome: Outcome) => void
  reject: (error: unknown) => void
}

/**
 * The time from one batch's start to the next when no request waits. Below 100 operations per second the next one
 * hardly waits; above, rests reach 30 ms, and from 1,000 per second batches grow until rests take 60 ms. Measured:
 * shorter rests slow down requests at 200 events per second, because commands take processor time; longer ones slow
 * down everything.
 */
export const backgroundRest = (operations: number): number =>
  Math.max(Math.min(operations * 10, 30), Math.min(operations, 60))

/**
 * `send` returns one outcome per item, in order; an Error rejects only that item's caller. `restAfter` gives the ms
 * from the start of a batch of so many operations to the next.
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
    // A batch's end wakes many callers, which add their next operations in the same iteration of the event loop.
    // Waiting until it ends puts them into one batch.
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
 * A hanging batch mustn't block the batcher for ever. A single call always ends sooner; with two calls to a failing
 * server, the second may be abandoned, its outcome unknown, while the next batch already runs.
 */
const flushTimeoutMs = 7000

function settle<Item, Outcome>(one: Waiting<Item, Outcome>, outcome: Outcome | Error): void {
  if (outcome instanceof Error) one.reject(outcome)
  else one.resolve(outcome)
}

/** Reads by id with one `find` for all waiting callers. Null if there's no such document. Nothing is cached. */
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

/** Reads by `_id`; whole documents without a `projection`. */
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

/** `index` is the unique index that already has the value. */
export type Insertion = { inserted: true } | { inserted: false; index: string }

/**
 * `insertMany` must be unordered. Documents have their `_id` already, so sending one twice is safe. After a connection
 * or write concern error the outcome is unknown, and all callers of the batch are rejected.
 */
export const createInsertBatcher = <Doc>(insertMany: (docs: Doc[]) => Promise<unknown>): Batcher<Doc, Insertion> =>
  createBatcher(longestBatch, (docs) => insertTogether(insertMany, docs))

/** Takes much less time than a request may wait. */
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
    // Not a MongoError: some document can't be encoded, which fails the whole batch. Send each alone.
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

/** Keeps only the index name: the message also quotes stored values, such as payment codes. */
function outcomeOf(fault: { code: number; errmsg?: string | undefined }): Insertion | Error {
  const index = /index: (\S+) dup key/.exec(fault.errmsg ?? '')?.[1]
  if (fault.code === 11000 && index !== undefined) return { inserted: false, index }
  return new Error(`MongoDB refused an insert with code ${fault.code}`)
}

/** Takes effect only if the filter matches. */
export interface GuardedUpdate {
  /** `_id` and guard. Values aren't cast, so use the right types. */
  filter: { _id: string; [field: string]: unknown }
  update: Record<string, unknown> | Record<string, unknown>[]
  /** True of the document only if this update was made. Checked only if some guards of the batch didn't match. */
  proof: Record<string, unknown>
}

type Written = boolean | Error

/**
 * Guarded updates in one bulk write. Each caller learns whether its own guard matched. Updates of the same document go
 * into different batches.
 */
export function createUpdateBatcher<Doc extends { _id: string }>(
  collection: mongo.Collection<Doc>,
): Batcher<GuardedUpdate, boolean> {
  const batcher = createBatcher<GuardedUpdate, boolean>(longestBatch, (batch) => updateTogether(collection, batch))
  const oneAtATime = createOneAtATime()
  return (update, deadlineAt) => oneAtATime(update.filter._id, () => batcher(update, deadlineAt))
}

/** Never throws. A connection or write concern error is the outcome of every update. */
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
    // Now each alone, so that one update that can't be encoded, or that MongoDB rejects, doesn't fail the others. For
    // updates that were already made, `proof` shows it.
    const alone: Written[] = []
    for (const update of batch) alone.push(...(await updateTogether(collection, [update])))
    return alone
  }
}

/** Whether the connection or the write concern failed, so it's unknown what was written. */
function isUnknown(error: Error): boolean {
  const isRefusal = error instanceof mongo.MongoBulkWriteError && [error.writeErrors].flat().length > 0
  if (isRefusal) return error.result.getWriteConcernError() !== undefined
  return error instanceof mongo.MongoError
}

/** MongoDB's message may quote stored values; this one doesn't. */
const withoutValues = (error: Error): Error =>
  error instanceof mongo.MongoError ? new Error(`MongoDB refused an update with code ${error.code}`) : error

/**
 * The bulk result has only the number of matches. Reads ids alone: documents may be large, and a batch may have 500.
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
