import { setTimeout as wait } from 'node:timers/promises'
import mongoose, { type Connection } from 'mongoose'
import type { Log } from '../process/log.ts'

/**
 * The options of every connection, whatever the URL says. A write is journalled by a majority. A read sees only what a
 * majority has, so no failover undoes it. A call ends within 5 s even if the server is frozen.
 */
const options = {
  writeConcern: { w: 'majority', journal: true },
  readConcern: { level: 'majority' },
  readPreference: 'primary',
  // MongoDB refuses commands that are not in the Stable API, so versions 6 to 8 behave the same.
  serverApi: { version: '1', strict: true, deprecationErrors: true },
  // On a replica set, the driver retries a write after a failover. Every write in the service can safely run twice.
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

/** Connects once. Throws if no server responds within 2 s. */
export async function connectMongo(
  url: string,
  log: Log,
  exceptions: Pick<mongoose.ConnectOptions, 'socketTimeoutMS' | 'maxPoolSize' | 'appName'>,
): Promise<Connection> {
  const connection = mongoose.createConnection()
  try {
    await connection.openUri(url, { ...options, ...exceptions })
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
 * Connects as soon as a server is available, because a process may start before its database. Throws if the password is
 * wrong, because waiting would not help.
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

/** The driver passes these errors on unchanged if a connection ends while a write waits for its socket. */
const socketFaults = new Set<unknown>(['EPIPE', 'ECONNRESET'])

const isSocketFault = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && socketFaults.has(error.code)

/**
 * The codes after which the driver itself retries or looks for another primary: a primary steps down or shuts down, a
 * server is not or not yet a primary, or a router reaches none. The driver does not export these codes, and its label
 * is missing from errors of connections that it has closed in the meantime.
 */
const noPrimaryCodes = new Set<unknown>([
  6, 7, 89, 91, 134, 189, 262, 9001, 10_058, 10_107, 11_600, 11_602, 13_435, 13_436,
])

const isAway = (error: unknown): boolean =>
  isSocketFault(error) ||
  error instanceof mongoose.mongo.MongoNetworkError ||
  error instanceof mongoose.mongo.MongoServerSelectionError ||
  error instanceof mongoose.Error.MongooseServerSelectionError ||
  (error instanceof mongoose.mongo.MongoServerError && noPrimaryCodes.has(error.code))

/**
 * Retries `act` while MongoDB is unreachable, for a process that is starting: its database may become unreachable again
 * before the process serves requests. Throws any other error.
 */
export async function retryWhileUnreachable<T>(log: Log, act: () => Promise<T>): Promise<T> {
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

/** The names of Mongoose errors that indicate a bug in the service. The failed call never reached the server. */
const bugs = new Set([
  'CastError',
  'StrictModeError',
  'ValidationError',
  'ObjectExpectedError',
  'ObjectParameterError',
])

/** Whether an error comes from MongoDB or its driver. The outcome of the call is then unknown. */
export const isDatabaseFault = (error: unknown): boolean =>
  error instanceof mongoose.mongo.MongoError ||
  isSocketFault(error) ||
  (error instanceof mongoose.MongooseError && !bugs.has(error.name))

/** Throws if MongoDB does not respond. */
export async function pingMongo({ db }: Pick<Connection, 'db'>): Promise<void> {
  if (db === undefined) throw new Error('MongoDB is not connected')
  await db.admin().ping()
}
