import { setTimeout as wait } from 'node:timers/promises'
import mongoose, { type Connection } from 'mongoose'
import type { Config } from '../config/config.ts'
import type { Log } from '../platform/log.ts'

/**
 * The options for every connection, which override those in the URL. A write must be journalled by a majority of the
 * replica set. A read returns only data that a majority has acknowledged, so a failover cannot undo the data that was
 * read. A call ends within 5 s even if the server is frozen.
 */
const options = {
  writeConcern: { w: 'majority', journal: true },
  readConcern: { level: 'majority' },
  readPreference: 'primary',
  // With these options, MongoDB rejects commands that are not part of the Stable API, so versions 6 to 8 behave
  // identically.
  serverApi: { version: '1', strict: true, deprecationErrors: true },
  // On a replica set, the driver retries a write after a failover. Every write of this service can safely run twice.
  retryWrites: true,
  retryReads: false,
  bufferCommands: false,
  autoIndex: false,
  autoCreate: false,
  serverSelectionTimeoutMS: 2000,
  heartbeatFrequencyMS: 1000,
  maxPoolSize: 30,
  appName: 'payment-intents',
} as const satisfies mongoose.ConnectOptions

/** Tests on a busy machine lengthen them. */
export const timeouts = {
  socketTimeoutMS: 5000,
  connectTimeoutMS: 2000,
  waitQueueTimeoutMS: 2000,
}

/** The URL of MongoDB, and the authority of its certificate if that is not a public one. */
export type MongoAddress = Pick<Config, 'mongodbUrl' | 'mongodbCa'>

/** Tries to connect once. Throws if no server responds within 2 s, or if the server has no transactions. */
export async function connectMongo(
  { mongodbUrl, mongodbCa: ca }: MongoAddress,
  log: Log,
  exceptions: Pick<mongoose.ConnectOptions, 'socketTimeoutMS' | 'maxPoolSize' | 'appName'>,
): Promise<Connection> {
  const connection = mongoose.createConnection()
  try {
    await connection.openUri(mongodbUrl, { ...options, ...timeouts, ...exceptions, ...(ca !== null && { ca }) })
    await requireTransactions(connection)
    connection.on('error', (err) => log.warn({ err }, 'mongodb.error'))
    return connection
  } catch (error) {
    await connection.destroy().catch(() => undefined)
    throw error
  }
}

const standaloneServer = 'STANDALONE_SERVER'

async function requireTransactions({ db }: Connection): Promise<void> {
  const { setName, msg } = (await db?.admin().command({ hello: 1 })) ?? {}
  if (setName === undefined && msg !== 'isdbgrid')
    throw Object.assign(
      new Error(
        'MONGODB_URL names a standalone server, which has no transactions. Restart mongod with --replSet rs and run rs.initiate() once in mongosh: a replica set of one is enough. The data stays.',
      ),
      { code: standaloneServer },
    )
}

/** The longest time, in seconds, for which MongoDB should keep the locks of a process that was killed. */
const maxLockSeconds = 10

/**
 * Logs a warning if documents that a killed process was changing would stay locked for longer than `maxLockSeconds`.
 * Uses a client of its own, because the Stable API lacks `getParameter`.
 */
export async function checkTransactionLifetime({ mongodbUrl, mongodbCa: ca }: MongoAddress, log: Log): Promise<void> {
  const { serverSelectionTimeoutMS } = options
  const client = new mongoose.mongo.MongoClient(mongodbUrl, {
    ...timeouts,
    serverSelectionTimeoutMS,
    maxPoolSize: 1,
    ...(ca !== null && { ca }),
  })
  const parameter = 'transactionLifetimeLimitSeconds'
  try {
    const { [parameter]: seconds } = await client.db('admin').command({ getParameter: 1, [parameter]: 1 })
    if (seconds > maxLockSeconds) log.warn({ seconds, maxSeconds: maxLockSeconds }, 'mongodb.locks-too-long')
  } catch (err) {
    log.info({ err, parameter }, 'mongodb.lock-seconds-unknown')
  } finally {
    await client.close()
  }
}

/** MongoDB's `AuthenticationFailed` error code. */
const wrongPassword = 18

const hopeless = new Set<unknown>([wrongPassword, standaloneServer])

/**
 * Connects as soon as a server is available, because this process may be started before the database. Throws if the
 * password is wrong or the server has no transactions, because waiting would not help in these cases.
 */
export const awaitMongo = (
  address: MongoAddress,
  log: Log,
  exceptions: Pick<mongoose.ConnectOptions, 'maxPoolSize' | 'appName'>,
): Promise<Connection> =>
  retryWhile(
    (err) => !hopeless.has((err as { code?: unknown }).code),
    log,
    () => connectMongo(address, log, exceptions),
  )

async function retryWhile<T>(mayHeal: (error: unknown) => boolean, log: Log, act: () => Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await act()
    } catch (err) {
      if (!mayHeal(err)) throw err
      log.warn({ err }, 'mongodb.waiting')
      await wait(1000)
    }
  }
}

/**
 * The codes of Node's socket errors that the driver does not wrap if a connection ends while a write is waiting for the
 * socket.
 */
const socketFaults = new Set<unknown>(['EPIPE', 'ECONNRESET'])

const isSocketFault = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && socketFaults.has(error.code)

/**
 * The error codes after which the driver itself retries or looks for another primary. These codes mean that a primary
 * is stepping down or shutting down, that a server is not (yet) a primary, or that a router cannot reach any primary.
 * The driver does not export these codes, and the label that the driver adds to such errors is missing if the driver
 * has already closed the connection.
 */
const noPrimaryCodes = new Set<unknown>([
  6, 7, 89, 91, 134, 189, 262, 9001, 10_058, 10_107, 11_600, 11_602, 13_435, 13_436,
])

/** Whether a call waited too long for a free connection. The driver does not export this class. */
const isPoolTimeout = (error: unknown): boolean =>
  error instanceof mongoose.mongo.MongoDriverError && error.name === 'MongoWaitQueueTimeoutError'

/** Whether MongoDB could not be reached, or has no primary. It may be there again a moment later. */
export const isAway = (error: unknown): boolean =>
  isSocketFault(error) ||
  isPoolTimeout(error) ||
  error instanceof mongoose.mongo.MongoNetworkError ||
  error instanceof mongoose.mongo.MongoServerSelectionError ||
  error instanceof mongoose.Error.MongooseServerSelectionError ||
  (error instanceof mongoose.mongo.MongoServerError && noPrimaryCodes.has(error.code))

/**
 * Retries `act` while MongoDB is unreachable. This function is used while a process is starting, because the database
 * may become unreachable again before the process is ready. Any other error is thrown.
 */
export const retryWhileUnreachable = <T>(log: Log, act: () => Promise<T>): Promise<T> => retryWhile(isAway, log, act)

/**
 * The names of Mongoose errors that indicate a bug in the service. A call that fails with such an error was never sent
 * to the server.
 */
const bugs = new Set(['CastError', 'StrictModeError', 'ValidationError', 'ObjectExpectedError', 'ObjectParameterError'])

/** Returns whether an error comes from MongoDB or its driver, in which case the outcome of the call is unknown. */
export const isDatabaseFault = (error: unknown): boolean =>
  error instanceof mongoose.mongo.MongoError ||
  isSocketFault(error) ||
  (error instanceof mongoose.MongooseError && !bugs.has(error.name))

/** Throws if MongoDB does not respond. */
export async function pingMongo({ db }: Pick<Connection, 'db'>): Promise<void> {
  if (db === undefined) throw new Error('MongoDB is not connected')
  await db.admin().ping()
}
