import mongoose, { type mongo } from 'mongoose'
import { type Server, startMongo, startMongoReplicaSet, startRedis } from '../../../dev/servers.ts'

export type Servers = 'one-member' | 'three-members'
export type RoundServers = Awaited<ReturnType<typeof startServers>>

const alone = (one: Server) => ({ ...one, members: [one] })

export async function startServers(kind: Servers) {
  const starting = kind === 'three-members' ? startMongoReplicaSet(3) : startMongo().then(alone)
  const [mongo, redis] = await Promise.all([starting, startRedis()])
  return {
    mongodbUrl: mongo.url,
    redisUrl: redis.url,
    redis,
    /** Accepts writes. @throws {Error} if there is none */
    primary: (): Promise<Server> =>
      Promise.any(
        mongo.members.map(async (member) => {
          const { isWritablePrimary } = await command(member, { hello: 1 }, 1000)
          if (isWritablePrimary !== true) throw new Error(`${member.port} accepts no writes`)
          return member
        }),
      ),
    stop: () => Promise.all([mongo.stop(), redis.stop()]),
  }
}

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
