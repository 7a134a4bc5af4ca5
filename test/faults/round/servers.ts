import mongoose from 'mongoose'
import { type Server, startMongo, startMongoReplicaSet, startRedis } from '../../../dev/servers.ts'
import type { Servers } from '../plan/fault.ts'

/** The servers of one round, all its own. */
export interface RoundServers {
  mongodbUrl: string
  redisUrl: string
  redis: Server
  /** Who takes writes now. @throws {Error} where none does */
  primary(): Promise<Server>
  stop(): Promise<void>
}

export async function startServers(kind: Servers): Promise<RoundServers> {
  const [mongo, redis] = await Promise.all([
    kind === 'standalone' ? startAlone() : startMongoReplicaSet(3),
    startRedis(),
  ])
  return {
    mongodbUrl: mongo.url,
    redisUrl: redis.url,
    redis,
    primary: () => primaryOf(mongo.members),
    async stop() {
      await Promise.all([mongo.stop(), redis.stop()])
    },
  }
}

async function startAlone() {
  const mongo = await startMongo()
  return { url: mongo.url, members: [mongo], stop: mongo.stop }
}

const primaryOf = (members: readonly Server[]): Promise<Server> =>
  Promise.any(
    members.map(async (member) => {
      const { isWritablePrimary } = await command(member, { hello: 1 }, 1000)
      if (isWritablePrimary !== true) throw new Error(`${member.port} takes no writes`)
      return member
    }),
  )

/** One command at one server. @throws {Error} one that stands still does not answer in time */
export async function command(
  member: Server,
  words: object,
  withinMs: number,
): Promise<Record<string, unknown>> {
  const client = new mongoose.mongo.MongoClient(`mongodb://127.0.0.1:${member.port}/?directConnection=true`, {
    serverSelectionTimeoutMS: 1000,
    connectTimeoutMS: 1000,
    socketTimeoutMS: withinMs,
  })
  try {
    return await client.db('admin').command(words)
  } finally {
    await client.close()
  }
}
