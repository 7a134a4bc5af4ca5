import { setTimeout as wait } from 'node:timers/promises'
import mongoose, { type Connection } from 'mongoose'
import type { Config } from '../config/config.ts'
import type { Log } from '../platform/log.ts'

/** These override the URL's options. Majority reads survive a failover. */
const options = {
  writeConcern: { w: 'majority', journal: true },
  readConcern: { level: 'majority' },
  readPreference: 'primary',
  // With the Stable API, MongoDB 6, 7 and 8 behave the same.
  serverApi: { version: '1', strict: true, deprecationErrors: true },
  // Every write of this service can safely run twice.
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

/** A call ends within 5 s. Tests on a busy machine raise these timeouts. */
export const mongoTimeouts = {
  socketTimeoutMS: 5000,
  connectTimeoutMS: 2000,
  waitQueueTimeoutMS: 2000,
}

/** The limit for slow reads. MongoDB stops them before the socket times out. */
export const readTimeoutMs = 4_000

export type MongoAddress = Pick<Config, 'mongodbUrl' | 'mongodbCa'>

/** Throws if no server responds, or if it doesn't support transactions. */
export async function connectMongo(
  { mongodbUrl, mongodbCa: ca }: MongoAddress,
  log: Log,
  exceptions: Pick<mongoose.ConnectOptions, 'socketTimeoutMS' | 'maxPoolSize' | 'appName'>,
): Promise<Connection> {
  const connection = mongoose.createConnection()
  try {
    await connection.openUri(mongodbUrl, { ...options, ...mongoTimeouts, ...exceptions, ...(ca && { ca }) })
    await requireTransactions(connection)
    connection.on('error', (err) => log.warn({ err }, 'mongodb.error'))
    return connection
  } catch (error) {
    await connection.destroy().catch(() => undefined)
    throw error
  }
}

const standaloneServer = 'STANDALONE_SERVER'

async function requireTransactions(connection: Connection): Promise<void> {
  const { setName, msg } = await readHello(connection)
  if (setName === undefined && msg !== 'isdbgrid')
    throw Object.assign(
      new Error(
        'MONGODB_URL names a standalone server, which does not support transactions. Restart mongod with --replSet rs and run rs.initiate() once in mongosh: a replica set of one is enough. Your data is kept.',
      ),
      { code: standaloneServer },
    )
}

const maxLockSeconds = 10

/** Warns if a dead process could lock documents for over 10 s. */
export async function checkTransactionLifetime({ mongodbUrl, mongodbCa: ca }: MongoAddress, log: Log) {
  const { serverSelectionTimeoutMS } = options
  const client = new mongoose.mongo.MongoClient(mongodbUrl, {
    ...mongoTimeouts,
    serverSelectionTimeoutMS,
    maxPoolSize: 1,
    ...(ca && { ca }),
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

/** 18 is AuthenticationFailed. */
const hopeless = new Set<unknown>([18, standaloneServer])

/** Retries until MongoDB responds. Throws if the password is wrong. */
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

async function retryWhile<T>(mayHeal: (error: unknown) => boolean, log: Log, act: () => Promise<T>) {
  for (;;)
    try {
      return await act()
    } catch (err) {
      if (!mayHeal(err)) throw err
      log.warn({ err }, 'mongodb.waiting')
      await wait(1000)
    }
}

/** The driver doesn't wrap a socket's errors while a write waits for it. */
const isSocketFault = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && ['EPIPE', 'ECONNRESET'].includes(String(error.code))

/** The driver retries on these error codes, but doesn't export them. */
const noPrimaryCodes = new Set<unknown>([
  6, 7, 89, 91, 134, 189, 262, 9001, 10_058, 10_107, 11_600, 11_602, 13_435, 13_436,
])

/** MongoDB may be back soon after such an error. */
export const isMongoUnreachable = (error: unknown): boolean =>
  isSocketFault(error) ||
  (error instanceof mongoose.mongo.MongoDriverError && error.name === 'MongoWaitQueueTimeoutError') ||
  error instanceof mongoose.mongo.MongoNetworkError ||
  error instanceof mongoose.mongo.MongoServerSelectionError ||
  error instanceof mongoose.Error.MongooseServerSelectionError ||
  (error instanceof mongoose.mongo.MongoServerError && noPrimaryCodes.has(error.code))

export const retryWhileUnreachable = <T>(log: Log, act: () => Promise<T>): Promise<T> =>
  retryWhile(isMongoUnreachable, log, act)

const isBug = ({ name }: Error): boolean =>
  /^(Cast|StrictMode|Validation|ObjectExpected|ObjectParameter)Error$/.test(name)

export const isDatabaseFault = (error: unknown): boolean =>
  error instanceof mongoose.mongo.MongoError ||
  isSocketFault(error) ||
  (error instanceof mongoose.MongooseError && !isBug(error))

type Connected = Pick<Connection, 'db'>

function adminOf({ db }: Connected): mongoose.mongo.Admin {
  if (db === undefined) throw new Error('MongoDB is not connected')
  return db.admin()
}

export const pingMongo = (connection: Connected): Promise<unknown> => adminOf(connection).ping()

export const readHello = (connection: Connected): Promise<mongoose.mongo.Document> =>
  adminOf(connection).command({ hello: 1 })
