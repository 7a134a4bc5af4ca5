import mongoose, { type mongo } from 'mongoose'
import { type Server, startMongo, startMongoReplicaSet, startRedis } from '../../../dev/servers.ts'
import type { Servers } from '../plan/fault.ts'

/** The servers of one round. */
export interface RoundServers {
  mongodbUrl: string
  redisUrl: string
  redis: Server
  /** The server that accepts writes. @throws {Error} if there is none */
  primary(): Promise<Server>
  stop(): Promise<void>
}

export async function startServers(kind: Servers): Promise<RoundServers> {
  const starting = kind === 'one-member' ? startAlone() : startMongoReplicaSet(3)
  const [mongo, redis] = await Promise.all([starting, startRedis()])
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
      if (isWritablePrimary !== true) throw new Error(`${member.port} accepts no writes`)
      return member
    }),
  )

/** Sends one command to one server. @throws {Error} if there is no response in time */
export async function command(member: Server, document: object, withinMs: number): Promise<mongo.Document> {
  const client = new mongoose.mongo.MongoClient(`mongodb://127.0.0.1:${member.port}/?directConnection=true`, {
    serverSelectionTimeoutMS: 1000,
    connectTimeoutMS: 1000,
    socketTimeoutMS: withinMs,
  })
  try {
    return await client.db('admin').command(document)
  } finally {
    await client.close()
  }
}
