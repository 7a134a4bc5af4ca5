import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import mongoose from 'mongoose'

/** What a backup has to know of the server it is taken from. */
export interface ServerKind {
  version: string
  /** Of its process. */
  pid: number
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
  const [hello, { version }, { pid }] = await Promise.all([
    admin.command({ hello: 1 }),
    admin.command({ buildInfo: 1 }),
    admin.command({ serverStatus: 1 }),
  ])
  const majorityUntil = (hello.lastWrite?.majorityWriteDate as Date | undefined) ?? null
  return { version, pid: Number(pid), majorityUntil, isRouter: hello.msg === 'isdbgrid' }
}

/** A server writes its process id into its folder while it runs, in the numbers of its own container too. */
export async function isFolderOf({ pid }: Pick<ServerKind, 'pid'>, dataFiles: string): Promise<boolean> {
  const lock = await readFile(join(dataFiles, 'mongod.lock'), 'utf8').catch(() => '')
  return Number(lock) === pid
}
