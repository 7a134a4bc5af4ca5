import { setTimeout as pause } from 'node:timers/promises'
import { type Connection, mongo } from 'mongoose'
import { unavailable } from '../platform/errors.ts'
import { createOneAtATime } from '../platform/one-at-a-time.ts'

export interface Transaction {
  /**
   * The documents that the transaction changes and that others may change too. Within this process, such transactions
   * run one after the other, because MongoDB would let all but one fail.
   */
  documents: readonly string[]
  /** When to give up, as a `performance.now()` time. The default is `longestWaitMs` from now. */
  deadlineAt?: number | undefined
}

/** How long a request may wait for MongoDB in total, so that the client gets a response within 10 s. */
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

/** Pauses are random, so that two processes don't collide again. The first is about as long as a transaction. */
const firstPauseMs = 8
const longestPauseMs = 100

/**
 * Runs `work` in one transaction. After a conflict or a lost connection everything is repeated, so `work` must keep
 * nothing from its last run. What it read is still true at the commit only if it was guarded or written in the same
 * transaction. Throws SERVICE_UNAVAILABLE at the deadline; if the commit had been sent by then, its outcome is unknown.
 */
export async function transaction<T>(
  { transactions: { client, oneAtATime } }: { transactions: Transactions },
  { documents, deadlineAt = performance.now() + longestWaitMs }: Transaction,
  work: (session: mongo.ClientSession) => Promise<T>,
): Promise<T> {
  const runAll = async (): Promise<T> => {
    for (
      let pauseMs = firstPauseMs;
      performance.now() < deadlineAt;
      pauseMs = Math.min(2 * pauseMs, longestPauseMs)
    ) {
      const done = await tryOnce(client, deadlineAt, work)
      if (done !== null) return done.result
      await pause(Math.random() * pauseMs)
    }
    throw unavailable()
  }
  // All transactions take documents in the same order, so that no two wait for each other.
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

/** A commit can safely be sent again, because MongoDB recognises the session. */
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

/** How long a commit whose outcome is unknown is sent again. */
const unsureMs = 1_000

/**
 * Runs a write that must not wait for a document locked by another transaction, which takes seconds if that process has
 * died. Inside a transaction, a write fails at once instead. Returns null if it fails; a poll then has to find the
 * document again.
 */
export async function unlessLocked<T>(
  { transactions: { client } }: { transactions: Transactions },
  write: (session: mongo.ClientSession) => Promise<T>,
): Promise<T | null> {
  const done = await tryOnce(client, performance.now() + unsureMs, write)
  return done === null ? null : done.result
}
