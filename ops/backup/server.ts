import { readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import mongoose from 'mongoose'

/** What a backup has to know of the server it is taken from. */
export interface ServerKind {
  version: string
  /** Of its process. */
  pid: number
  /** By the clock of its machine. */
  startedAt: Date
  /**
   * Of a member of a replica set: all that was acknowledged before this instant is in its files. A secondary may be behind, and files
   * that are started alone are as of what this member knew a majority to have. Null: a standalone server, which is never behind.
   */
  majorityUntil: Date | null
  /** A mongos in front of several shards, of which none alone is the database. */
  isRouter: boolean
}

/** With no Stable API: what backups ask of a server is not part of it. */
export async function withServer<Answer>(
  mongodbUrl: string,
  ask: (client: mongoose.mongo.MongoClient) => Promise<Answer>,
  options: mongoose.mongo.MongoClientOptions = {},
): Promise<Answer> {
  const client = new mongoose.mongo.MongoClient(mongodbUrl, { serverSelectionTimeoutMS: 5000, ...options })
  try {
    return await ask(client)
  } finally {
    await client.close()
  }
}

/** Whichever of a replica set answers. */
export const lookAtServer = (mongodbUrl: string): Promise<ServerKind> => withServer(mongodbUrl, look)

/** The one that the URL names, be it a secondary: not the primary of its set, which the driver would find. */
export function lookAtOneServer(mongodbUrl: string): Promise<ServerKind> {
  const { hosts, srvHost } = new mongoose.mongo.MongoClient(mongodbUrl).options
  if (hosts.length > 1 || srvHost !== undefined)
    throw new Error('MONGODB_URL names several servers: name the one whose files are copied')
  return withServer(mongodbUrl, look, { directConnection: true })
}

async function look(client: mongoose.mongo.MongoClient): Promise<ServerKind> {
  const admin = client.db('admin')
  const [hello, { version }, { pid, localTime, uptimeMillis }] = await Promise.all([
    admin.command({ hello: 1 }),
    admin.command({ buildInfo: 1 }),
    admin.command({ serverStatus: 1 }),
  ])
  const majorityUntil = (hello.lastWrite?.majorityWriteDate as Date | undefined) ?? null
  const startedAt = new Date((localTime as Date).getTime() - Number(uptimeMillis))
  return { version, pid: Number(pid), startedAt, majorityUntil, isRouter: hello.msg === 'isdbgrid' }
}

/** The lock is written as soon as the files are open, which takes longer only where a large journal is recovered. */
const longestOpeningMs = 10_000

/**
 * A server writes its process id into its folder when it starts. In a container that is 1 for every server, so that it must be of this
 * start, too.
 */
export async function isFolderOf(
  { pid, startedAt }: Pick<ServerKind, 'pid' | 'startedAt'>,
  dataFiles: string,
): Promise<boolean> {
  const path = join(dataFiles, 'mongod.lock')
  try {
    const [lock, { mtimeMs }] = await Promise.all([readFile(path, 'utf8'), stat(path)])
    return Number(lock) === pid && Math.abs(mtimeMs - startedAt.getTime()) <= longestOpeningMs
  } catch {
    return false
  }
}
