import { setTimeout as wait } from 'node:timers/promises'
import mongoose, { type Connection } from 'mongoose'
import type { Config } from '../config/config.ts'
import type { Log } from '../platform/log.ts'

/**
 * These override the options in the URL. A majority must journal each write, and reads return only what a majority has
 * acknowledged, so a failover can't undo what was read. A call ends within 5 s even if the server is frozen.
 */
const options = {
  writeConcern: { w: 'majority', journal: true },
  readConcern: { level: 'majority' },
  readPreference: 'primary',
  // MongoDB then rejects commands outside the Stable API, so versions 6 to 8 behave the same.
  serverApi: { version: '1', strict: true, deprecationErrors: true },
  // This is safe, because every write of this service can run twice.
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

/** Tests on a busy machine increase these. */
export const timeouts = {
  socketTimeoutMS: 5000,
  connectTimeoutMS: 2000,
  waitQueueTimeoutMS: 2000,
}

/** The URL, and the authority of MongoDB's certificate if it isn't a public one. */
export type MongoAddress = Pick<Config, 'mongodbUrl' | 'mongodbCa'>

/** Makes one attempt. Throws if no server responds within 2 s, or if the server has no transactions. */
export async function connectMongo(
  { mongodbUrl, mongodbCa: ca }: MongoAddress,
  log: Log,
  exceptions: Pick<mongoose.ConnectOptions, 'socketTimeoutMS' | 'maxPoolSize' | 'appName'>,
): Promise<Connection> {
  const connection = mongoose.createConnection()
  try {
    await connection.openUri(mongodbUrl, {
      ...options,
      ...timeouts,
      ...exceptions,
      ...(ca !== null && { ca }),
    })
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

/** The longest time for which MongoDB should keep the locks of a killed process. */
const maxLockSeconds = 10

/**
 * Warns if documents that a killed process was changing would stay locked for longer. This needs a client of its own,
 * because the Stable API lacks `getParameter`.
 */
export async function checkTransactionLifetime(
  { mongodbUrl, mongodbCa: ca }: MongoAddress,
  log: Log,
): Promise<void> {
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

/** MongoDB's code for `AuthenticationFailed`. */
const wrongPassword = 18

const hopeless = new Set<unknown>([wrongPassword, standaloneServer])

/**
 * Waits until a server is available, because this process may start before the database. Throws if waiting can't help,
 * i.e. if the password is wrong or the server has no transactions.
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

async function retryWhile<T>(
  mayHeal: (error: unknown) => boolean,
  log: Log,
  act: () => Promise<T>,
): Promise<T> {
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

/** The driver doesn't wrap these errors if a connection ends while a write waits for the socket. */
const socketFaults = new Set<unknown>(['EPIPE', 'ECONNRESET'])

const isSocketFault = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && socketFaults.has(error.code)

/**
 * After these errors, the driver itself retries or looks for another primary: one is stepping down or shutting down, a
 * server isn't primary (yet), or a router can't reach one. The driver doesn't export the codes, and it doesn't label
 * the error if it has already closed the connection.
 */
const noPrimaryCodes = new Set<unknown>([
  6, 7, 89, 91, 134, 189, 262, 9001, 10_058, 10_107, 11_600, 11_602, 13_435, 13_436,
])

/** Whether no connection became free in time. The driver doesn't export this class. */
const isPoolTimeout = (error: unknown): boolean =>
  error instanceof mongoose.mongo.MongoDriverError && error.name === 'MongoWaitQueueTimeoutError'

/** Whether MongoDB can't be reached or has no primary. It may be back a moment later. */
export const isUnreachable = (error: unknown): boolean =>
  isSocketFault(error) ||
  isPoolTimeout(error) ||
  error instanceof mongoose.mongo.MongoNetworkError ||
  error instanceof mongoose.mongo.MongoServerSelectionError ||
  error instanceof mongoose.Error.MongooseServerSelectionError ||
  (error instanceof mongoose.mongo.MongoServerError && noPrimaryCodes.has(error.code))

/** Used while a process starts, because the database may disappear again meanwhile. Throws any other error. */
export const retryWhileUnreachable = <T>(log: Log, act: () => Promise<T>): Promise<T> =>
  retryWhile(isUnreachable, log, act)

/** These Mongoose errors mean a bug in the service. The call was never sent. */
const bugs = new Set([
  'CastError',
  'StrictModeError',
  'ValidationError',
  'ObjectExpectedError',
  'ObjectParameterError',
])

/** Whether the error comes from MongoDB or its driver, so that the outcome of the call is unknown. */
export const isDatabaseFault = (error: unknown): boolean =>
  error instanceof mongoose.mongo.MongoError ||
  isSocketFault(error) ||
  (error instanceof mongoose.MongooseError && !bugs.has(error.name))

export async function pingMongo({ db }: Pick<Connection, 'db'>): Promise<void> {
  if (db === undefined) throw new Error('MongoDB is not connected')
  await db.admin().ping()
}
