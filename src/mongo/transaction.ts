import { setTimeout as pause } from 'node:timers/promises'
import { type Connection, mongo } from 'mongoose'
import { unavailable } from '../platform/errors.ts'
import { createOneAtATime } from '../platform/one-at-a-time.ts'

export interface Transaction {
  /** Transactions of this process that name the same document run one after another. MongoDB would let them fail. */
  documents: readonly string[]
  /** A `performance.now()` time. The default is `longestWaitMs` from now. */
  deadlineAt?: number | undefined
}

/** A request's total wait for MongoDB. The client gets a response within 10 s. */
export const longestWaitMs = 8_000

export type Transactions = ReturnType<typeof openTransactions>

export const openTransactions = (connection: Connection) => ({
  client: connection.getClient(),
  oneAtATime: createOneAtATime(),
})

const snapshotAndMajority = {
  readConcern: { level: 'snapshot' },
  writeConcern: { w: 'majority', journal: true },
  readPreference: 'primary',
} as const satisfies mongo.TransactionOptions

/** About as long as a transaction. Pauses are random, so that two processes don't collide again. */
const firstPauseMs = 8
const longestPauseMs = 100

/**
 * Repeats everything after a conflict, so `work` must keep nothing from its last run. What it read is still true at the
 * commit only if the transaction guards or writes it. At the deadline, the outcome of a sent commit is unknown.
 */
export async function transaction<T>(
  { transactions: { client, oneAtATime } }: { transactions: Transactions },
  { documents, deadlineAt = performance.now() + longestWaitMs }: Transaction,
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
  // Two transactions that took documents in different orders could wait for each other.
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

/** MongoDB recognises the session, so a commit can be sent again. */
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
 * Outside a transaction, the write would wait for a locked document – for seconds if the process that locked it has
 * died. Returns null if it's locked. A poll must then find the document again.
 */
export async function unlessLocked<T>(
  { transactions: { client } }: { transactions: Transactions },
  write: (session: mongo.ClientSession) => Promise<T>,
): Promise<T | null> {
  const done = await tryOnce(client, performance.now() + 1_000, write)
  return done === null ? null : done.result
}
