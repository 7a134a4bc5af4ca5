import { setTimeout as pause } from 'node:timers/promises'
import { type Connection, mongo } from 'mongoose'
import { unavailable } from '../platform/errors.ts'
import { createKeyedMutex } from '../platform/one-at-a-time.ts'

export interface TransactionScope {
  /** A process runs transactions on the same document one after another. */
  documents: readonly string[]
  /** A `performance.now()` time. */
  deadlineAt?: number | undefined
}

/** The longest that a request may wait for MongoDB in total. */
export const maxMongoWaitMs = 8_000

export type Transactions = ReturnType<typeof openTransactions>

export const openTransactions = (connection: Connection) => ({
  client: connection.getClient(),
  oneAtATime: createKeyedMutex(),
})

const snapshotAndMajority = {
  readConcern: { level: 'snapshot' },
  writeConcern: { w: 'majority', journal: true },
  readPreference: 'primary',
} as const satisfies mongo.TransactionOptions

/** A transaction takes about this long. */
const firstPauseMs = 8
const longestPauseMs = 100

/**
 * Runs `work` again after a conflict, so it must not keep state between runs.
 * If the deadline passes during the commit, the transaction may have taken
 * effect.
 */
export async function transaction<T>(
  { transactions: { client, oneAtATime } }: { transactions: Transactions },
  { documents, deadlineAt = performance.now() + maxMongoWaitMs }: TransactionScope,
  work: (session: mongo.ClientSession) => Promise<T>,
): Promise<T> {
  const runAll = async (): Promise<T> => {
    for (let pauseMs = firstPauseMs; performance.now() < deadlineAt; pauseMs *= 2) {
      const done = await tryOnce(client, deadlineAt, work)
      if (done !== null) return done.result
      await pause(Math.random() * Math.min(pauseMs, longestPauseMs))
    }
    throw unavailable()
  }
  // Transactions that lock documents in the same order can't deadlock.
  const inOrder = [...new Set(documents)].toSorted()
  return inOrder.reduceRight<() => Promise<T>>((run, id) => () => oneAtATime(id, run), runAll)()
}

async function tryOnce<T>(
  client: mongo.MongoClient,
  deadlineAt: number,
  work: (session: mongo.ClientSession) => Promise<T>,
): Promise<{ result: T } | null> {
  const session = client.startSession()
  try {
    session.startTransaction(snapshotAndMajority)
    const result = await work(session)
    await commit(session, deadlineAt)
    return { result }
  } catch (error) {
    if (session.inTransaction()) await session.abortTransaction().catch(() => undefined)
    if (error instanceof mongo.MongoError && error.hasErrorLabel('TransientTransactionError')) return null
    throw error
  } finally {
    await session.endSession()
  }
}

/** MongoDB recognises the session, so a commit can be sent twice. */
async function commit(session: mongo.ClientSession, deadlineAt: number): Promise<void> {
  for (;;) {
    try {
      await session.commitTransaction()
      return
    } catch (error) {
      const isUnknown =
        error instanceof mongo.MongoError && error.hasErrorLabel('UnknownTransactionCommitResult')
      if (!isUnknown) throw error
      if (performance.now() >= deadlineAt) throw unavailable()
      await pause(longestPauseMs)
    }
  }
}

/**
 * Returns null if the document is locked. Outside a transaction, the write
 * would wait several seconds for a lock that a dead process left behind.
 */
export async function writeIfUnlocked<T>(
  { transactions: { client } }: { transactions: Transactions },
  write: (session: mongo.ClientSession) => Promise<T>,
): Promise<T | null> {
  const done = await tryOnce(client, performance.now() + 1_000, write)
  return done === null ? null : done.result
}
