import mongoose from 'mongoose'

/** What a backup has to know of the server it is taken from. */
export interface ServerKind {
  version: string
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
): Promise<Answer> {
  const client = new mongoose.mongo.MongoClient(mongodbUrl, { serverSelectionTimeoutMS: 5000 })
  try {
    return await ask(client)
  } finally {
    await client.close()
  }
}

export const lookAtServer = (mongodbUrl: string): Promise<ServerKind> =>
  withServer(mongodbUrl, async (client) => {
    const admin = client.db('admin')
    const [hello, { version }] = await Promise.all([
      admin.command({ hello: 1 }),
      admin.command({ buildInfo: 1 }),
    ])
    const majorityUntil = (hello.lastWrite?.majorityWriteDate as Date | undefined) ?? null
    return { version, majorityUntil, isRouter: hello.msg === 'isdbgrid' }
  })
