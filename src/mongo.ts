import { setTimeout as wait } from 'node:timers/promises'
import mongoose, { type Connection } from 'mongoose'
import type { Log } from './log.ts'

/**
 * What the service promises of every write and read, whatever the URL leaves out: acknowledged by a majority and
 * journalled, read from the primary and never taken back. A call ends within some 4 s also when the server is frozen.
 */
const promises = {
  writeConcern: { w: 'majority', journal: true },
  readConcern: { level: 'majority' },
  readPreference: 'primary',
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
  exceptions: Pick<mongoose.ConnectOptions, 'socketTimeoutMS'>,
): Promise<Connection> {
  const connection = mongoose.createConnection()
  connection.on('error', (err) => log.warn({ err }, 'mongodb.error'))
  try {
    return await connection.openUri(url, { ...promises, ...exceptions })
  } catch (error) {
    await connection.close().catch(() => undefined)
    throw error
  }
}

/** Connects as soon as there is a server: a process may start before its database. */
export async function awaitMongo(url: string, log: Log): Promise<Connection> {
  for (;;) {
    try {
      return await connectMongo(url, log, {})
    } catch (err) {
      log.warn({ err }, 'mongodb.waiting')
      await wait(1000)
    }
  }
}

/** Whether an error is MongoDB's or its driver's: then what was sent is an unknown outcome. */
export const isDatabaseFault = (error: unknown): boolean =>
  error instanceof mongoose.mongo.MongoError || error instanceof mongoose.MongooseError
