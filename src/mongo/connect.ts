import { setTimeout as wait } from 'node:timers/promises'
import mongoose, { type Connection } from 'mongoose'
import type { Log } from '../process/log.ts'

/**
 * What the service promises of every write and read, whatever the URL leaves out: acknowledged by a majority and
 * journalled, read from the primary and never taken back. A call ends within 5 s also when the server is frozen.
 */
const promises = {
  writeConcern: { w: 'majority', journal: true },
  readConcern: { level: 'majority' },
  readPreference: 'primary',
  // What is not in the Stable API is refused: so each of MongoDB 6 to 8 understands the same.
  serverApi: { version: '1', strict: true, deprecationErrors: true },
  // On a replica set the driver repeats a write after a failover; every write of ours may run twice.
  retryWrites: true,
  retryReads: false,
  bufferCommands: false,
  autoIndex: false,
  autoCreate: false,
  socketTimeoutMS: 5000,
  connectTimeoutMS: 2000,
  waitQueueTimeoutMS: 2000,
  serverSelectionTimeoutMS: 2000,
  heartbeatFrequencyMS: 1000,
  maxPoolSize: 30,
  appName: 'payment-intents',
} as const satisfies mongoose.ConnectOptions

/** Connects once. Throws after 2 s without a server. */
export async function connectMongo(
  url: string,
  log: Log,
  exceptions: Pick<mongoose.ConnectOptions, 'socketTimeoutMS' | 'maxPoolSize' | 'appName'>,
): Promise<Connection> {
  const connection = mongoose.createConnection()
  try {
    await connection.openUri(url, { ...promises, ...exceptions })
    connection.on('error', (err) => log.warn({ err }, 'mongodb.error'))
    return connection
  } catch (error) {
    await connection.close().catch(() => undefined)
    throw error
  }
}

/** MongoDB's AuthenticationFailed. */
const wrongPassword = 18

/**
 * Connects as soon as there is a server: a process may start before its database. Throws when waiting cannot help:
 * a password that is wrong.
 */
export async function awaitMongo(
  url: string,
  log: Log,
  exceptions: Pick<mongoose.ConnectOptions, 'maxPoolSize' | 'appName'>,
): Promise<Connection> {
  for (;;) {
    try {
      return await connectMongo(url, log, exceptions)
    } catch (err) {
      if ((err as { code?: unknown }).code === wrongPassword) throw err
      log.warn({ err }, 'mongodb.waiting')
      await wait(1000)
    }
  }
}

/** The driver hands these on as the socket says them, where a connection ends while it waits for room to write. */
const socketFaults = new Set<unknown>(['EPIPE', 'ECONNRESET'])

const isSocketFault = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && socketFaults.has(error.code)

/**
 * A primary that steps down or shuts down, a server that is none any more or not ready yet, a router that reaches none: another comes, or it
 * again. All the codes after which the driver itself tries again or looks for another primary. It does not export them, and its label is not
 * on what comes from a connection it has given up meanwhile.
 */
const changingHands = new Set<unknown>([
  6, 7, 89, 91, 134, 189, 262, 9001, 10_058, 10_107, 11_600, 11_602, 13_435, 13_436,
])

const isAway = (error: unknown): boolean =>
  isSocketFault(error) ||
  error instanceof mongoose.mongo.MongoNetworkError ||
  error instanceof mongoose.mongo.MongoServerSelectionError ||
  error instanceof mongoose.Error.MongooseServerSelectionError ||
  (error instanceof mongoose.mongo.MongoServerError && changingHands.has(error.code))

/** For a process that starts: its database may go away again before it serves. `act` runs anew until it meets MongoDB. Throws any other fault. */
export async function retryUntilConnected<T>(log: Log, act: () => Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await act()
    } catch (err) {
      if (!isAway(err)) throw err
      log.warn({ err }, 'mongodb.waiting')
      await wait(1000)
    }
  }
}

/** Mongoose's own words on a mistake of ours, which no server has seen. */
const bugs = new Set([
  'CastError',
  'StrictModeError',
  'ValidationError',
  'ObjectExpectedError',
  'ObjectParameterError',
])

/** Whether an error is MongoDB's or its driver's: then what was sent is an unknown outcome. */
export const isDatabaseFault = (error: unknown): boolean =>
  error instanceof mongoose.mongo.MongoError ||
  isSocketFault(error) ||
  (error instanceof mongoose.MongooseError && !bugs.has(error.name))

/** Throws unless MongoDB answers. */
export async function pingMongo({ db }: Pick<Connection, 'db'>): Promise<void> {
  if (db === undefined) throw new Error('MongoDB is not connected')
  await db.admin().ping()
}
