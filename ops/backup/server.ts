import { readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import mongoose from 'mongoose'

/** What a backup needs to know of a server. */
export interface ServerKind {
  version: string
  pid: number
  /** According to its machine's clock. */
  startedAt: Date
  /**
   * Every write acknowledged before this instant is in the files of this member of a replica set. A secondary may be
   * behind, and files that are started alone go back to what the member knew a majority to have.
   */
  majorityAt: Date
  /** A mongos, in front of several shards. */
  isRouter: boolean
}

/** Doesn't use the Stable API, which lacks the commands of a backup. */
export async function withClient<Result>(
  mongodbUrl: string,
  use: (client: mongoose.mongo.MongoClient) => Promise<Result>,
  options: mongoose.mongo.MongoClientOptions = {},
): Promise<Result> {
  const client = new mongoose.mongo.MongoClient(mongodbUrl, { serverSelectionTimeoutMS: 5000, ...options })
  try {
    return await use(client)
  } finally {
    await client.close()
  }
}

/** Any member of a replica set will do. */
export const readServer = (mongodbUrl: string): Promise<ServerKind> => withClient(mongodbUrl, readKind)

/** Connects to the member that the URL names, even a secondary, not to its set's primary. */
export function readOneServer(mongodbUrl: string): Promise<ServerKind> {
  const { hosts, srvHost } = new mongoose.mongo.MongoClient(mongodbUrl).options
  if (hosts.length > 1 || srvHost !== undefined)
    throw new Error('MONGODB_URL names several servers. Name the one whose files are copied')
  return withClient(mongodbUrl, readKind, { directConnection: true })
}

async function readKind(client: mongoose.mongo.MongoClient): Promise<ServerKind> {
  const admin = client.db('admin')
  const [hello, { version }, { pid, localTime, uptimeMillis }] = await Promise.all([
    admin.command({ hello: 1 }),
    admin.command({ buildInfo: 1 }),
    admin.command({ serverStatus: 1 }),
  ])
  const majorityAt = hello.lastWrite?.majorityWriteDate as Date | undefined
  if (majorityAt === undefined) throw new Error('The server at MONGODB_URL is not a member of a replica set')
  const startedAt = new Date((localTime as Date).getTime() - Number(uptimeMillis))
  return { version, pid: Number(pid), startedAt, majorityAt, isRouter: hello.msg === 'isdbgrid' }
}

/** MongoDB writes the lock once its files are open, which takes longer only if it recovers a large journal. */
const maxOpeningMs = 10_000

/**
 * A starting server writes its process id into its folder. In a container the id is always 1, so the file's time must
 * match the start too.
 */
export async function isFolderOf(
  { pid, startedAt }: Pick<ServerKind, 'pid' | 'startedAt'>,
  dataFiles: string,
): Promise<boolean> {
  const path = join(dataFiles, 'mongod.lock')
  try {
    const [lock, { mtimeMs }] = await Promise.all([readFile(path, 'utf8'), stat(path)])
    return Number(lock) === pid && Math.abs(mtimeMs - startedAt.getTime()) <= maxOpeningMs
  } catch {
    return false
  }
}
