import { startMongo } from './mongo.ts'
import type { Server } from './start.ts'

// The default of 10 s is for networks. On one machine, a primary without a heartbeat for 2 s has ended.
const ELECTION_TIMEOUT_MS = 2000

/** Starts a replica set with a primary. Each member can be killed, frozen and restarted alone. */
export async function startMongoReplicaSet(
  count: number,
): Promise<{ url: string; members: Server[]; stop(): Promise<void> }> {
  const members = await Promise.all(Array.from({ length: count }, () => startMongo({ replicaSet: 'rs' })))
  const hosts = members.map(({ port }) => `127.0.0.1:${port}`)
  const url = `mongodb://${hosts.join(',')}/payment_intents?replicaSet=rs`
  await command(`mongodb://${hosts[0]}/?directConnection=true`, {
    replSetInitiate: {
      _id: 'rs',
      members: hosts.map((host, _id) => ({ _id, host })),
      settings: { electionTimeoutMillis: ELECTION_TIMEOUT_MS },
    },
  })
  // The driver waits for a primary.
  await command(url, { ping: 1 })
  return {
    url,
    members,
    stop: async () => {
      await Promise.all(members.map((member) => member.stop()))
    },
  }
}

async function command(url: string, words: object): Promise<void> {
  // The import takes 0.2 s, and few tests start a replica set.
  const { mongo } = await import('mongoose')
  const client = new mongo.MongoClient(url)
  try {
    await client.db('admin').command(words)
  } finally {
    await client.close()
  }
}
