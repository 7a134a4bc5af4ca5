import { setTimeout as pause } from 'node:timers/promises'
import { type Connection, mongo } from 'mongoose'
import { unavailable } from '../platform/errors.ts'
import { createOneAtATime } from '../platform/one-at-a-time.ts'

export interface Transaction {
  /**
   * The ids of documents that the transaction changes and others may change too. Within this process, transactions that
   * name the same one run one after the other, because MongoDB would let all but one of them fail.
   */
  documents: readonly string[]
  /** When to give up, on the clock of `performance.now()`. By default after `longestWaitMs`. */
  deadlineAt?: number | undefined
}

/** How long a request or an act may wait for MongoDB in total, so that the client receives a response within 10 s. */
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

/**
 * The pauses before a repetition are random, so that two processes do not collide again. The first is about as long as
 * a transaction, and they grow.
 */
const firstPauseMs = 8
const longestPauseMs = 100

/**
 * Runs `work` in one transaction. After a conflict or a lost connection, everything is repeated until the deadline, so
 * `work` must keep nothing of its last run. What it has read is still true at the commit only if it was guarded or
 * written in the same transaction. Throws SERVICE_UNAVAILABLE at the deadline. If the commit has been sent by then, its
 * outcome is unknown.
 */
export async function transaction<T>(
  { transactions: { client, oneAtATime } }: { transactions: Transactions },
  { documents, deadlineAt = performance.now() + longestWaitMs }: Transaction,
  work: (session: mongo.ClientSession) => Promise<T>,
): Promise<T> {
  const runAll = async (): Promise<T> => {
    for (let pauseMs = firstPauseMs; performance.now() < deadlineAt; pauseMs = Math.min(2 * pauseMs, longestPauseMs)) {
      const done = await tryOnce(client, deadlineAt, work)
      if (done !== null) return done.result
      await pause(Math.random() * pauseMs)
    }
    throw unavailable()
  }
  // All take the documents in the same order, so that no two wait for each other.
  const inOrder = [...new Set(documents)].toSorted()
  return inOrder.reduceRight<() => Promise<T>>((run, id) => () => oneAtATime(id, run), runAll)()
}

/** Returns null if the transaction has to be repeated. */
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

/** Sending a commit again is safe: MongoDB knows it by its session. */
async function commit(session: mongo.ClientSession, deadlineAt: number): Promise<void> {
  for (;;) {
    try {
      await session.commitTransaction()
      return
    } catch (error) {
      const isUnknown = error instanceof mongo.MongoError && error.hasErrorLabel('UnknownTransactionCommitResult')
      if (!isUnknown) throw error
      if (performance.now() >= deadlineAt) throw unavailable()
      await pause(longestPauseMs)
    }
  }
}

/** How long a commit is sent again whose outcome is unknown. */
const unsureMs = 1_000

/**
 * Runs a write that must not wait for a document that another transaction has locked, which takes some seconds if its
 * process has died. A transaction fails at once where any other write would wait. Returns null if it fails, so a poll
 * has to find the document again.
 */
export async function unlessLocked<T>(
  { transactions: { client } }: { transactions: Transactions },
  write: (session: mongo.ClientSession) => Promise<T>,
): Promise<T | null> {
  const done = await tryOnce(client, performance.now() + unsureMs, write)
  return done === null ? null : done.result
}
