import { setTimeout as wait } from 'node:timers/promises'
import mongoose, { type Connection } from 'mongoose'
import type { Config } from '../config/config.ts'
import type { Log } from '../platform/log.ts'

declare module '../platform/deps.ts' {
  interface Deps {
    mongo: Connection
  }
}

/**
 * These override the URL. Writes are journalled by a majority, and reads return only majority-acknowledged data, so a
 * failover can't undo what was read. A call ends within 5 s even if the server is frozen.
 */
const options = {
  writeConcern: { w: 'majority', journal: true },
  readConcern: { level: 'majority' },
  readPreference: 'primary',
  // Only commands of the Stable API, so MongoDB 6 to 8 behave the same.
  serverApi: { version: '1', strict: true, deprecationErrors: true },
  // Safe: every write of this service can run twice.
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

/** With the authority of its certificate, if that isn't a public one. */
export type MongoAddress = Pick<Config, 'mongodbUrl' | 'mongodbCa'>

/** One attempt to connect. Throws if no server responds within 2 s, or if it has no transactions. */
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

/** How long MongoDB should keep a killed process's locks at most. */
const maxLockSeconds = 10

/**
 * Warns if MongoDB keeps a killed process's documents locked for longer. Needs a client of its own: the Stable API
 * lacks `getParameter`.
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

/** MongoDB's `AuthenticationFailed`. */
const wrongPassword = 18

const hopeless = new Set<unknown>([wrongPassword, standaloneServer])

/**
 * Waits for a server, because this process may start before the database. Throws if waiting can't help: a wrong
 * password, or no transactions.
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

/** The driver doesn't wrap these if a connection ends while a write waits for the socket. */
const socketFaults = new Set<unknown>(['EPIPE', 'ECONNRESET'])

const isSocketFault = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && socketFaults.has(error.code)

/**
 * Codes after which the driver itself retries or looks for another primary: stepping down, shutting down, not primary
 * (yet), or a router without a primary. The driver doesn't export them, and it doesn't label the error if it has
 * already closed the connection.
 */
const noPrimaryCodes = new Set<unknown>([
  6, 7, 89, 91, 134, 189, 262, 9001, 10_058, 10_107, 11_600, 11_602, 13_435, 13_436,
])

/** No free connection in time. The driver doesn't export this class. */
const isPoolTimeout = (error: unknown): boolean =>
  error instanceof mongoose.mongo.MongoDriverError && error.name === 'MongoWaitQueueTimeoutError'

/** MongoDB can't be reached or has no primary. A moment later it may be back. */
export const isAway = (error: unknown): boolean =>
  isSocketFault(error) ||
  isPoolTimeout(error) ||
  error instanceof mongoose.mongo.MongoNetworkError ||
  error instanceof mongoose.mongo.MongoServerSelectionError ||
  error instanceof mongoose.Error.MongooseServerSelectionError ||
  (error instanceof mongoose.mongo.MongoServerError && noPrimaryCodes.has(error.code))

/** For the start of a process: the database may vanish again before it's ready. Other errors are thrown. */
export const retryWhileUnreachable = <T>(log: Log, act: () => Promise<T>): Promise<T> => retryWhile(isAway, log, act)

/** Mongoose errors that mean a bug in the service. Nothing was sent. */
const bugs = new Set(['CastError', 'StrictModeError', 'ValidationError', 'ObjectExpectedError', 'ObjectParameterError'])

/** The error is from MongoDB or the driver, so the outcome of the call is unknown. */
export const isDatabaseFault = (error: unknown): boolean =>
  error instanceof mongoose.mongo.MongoError ||
  isSocketFault(error) ||
  (error instanceof mongoose.MongooseError && !bugs.has(error.name))

export async function pingMongo({ db }: Pick<Connection, 'db'>): Promise<void> {
  if (db === undefined) throw new Error('MongoDB is not connected')
  await db.admin().ping()
}
