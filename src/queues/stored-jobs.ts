import type { Queue } from 'bullmq'
import type { JobWithId, QueueName } from '../../schemas/jobs.ts'
import { newId } from '../platform/ids.ts'
import type { RedisConnection } from './open-redis.ts'
import { addJobs } from './producer.ts'

/** Adding this many jobs blocks Redis for about 10 ms. */
const longestBatch = 250

/** Reads and repairs jobs in Redis. The source of truth is MongoDB. */
export function createStoredJobs(
  connection: RedisConnection,
  obtain: (name: QueueName) => Promise<Queue>,
  marker: string,
) {
  async function findExisting(queue: Queue, jobIds: readonly string[]): Promise<boolean[]> {
    const pipeline = connection.pipeline()
    for (const id of jobIds) pipeline.exists(queue.toKey(id))
    const responses = (await pipeline.exec()) ?? []
    return jobIds.map((_, index) => {
      const [error, count] = responses[index] ?? [new Error('Redis did not respond')]
      if (error !== null) throw error
      return count === 1
    })
  }

  return {
    async addMissing<Name extends QueueName>(name: Name, jobs: readonly JobWithId<Name>[]): Promise<number> {
      const queue = await obtain(name)
      const ids = jobs.map(({ jobId }) => jobId)
      const exists = await findExisting(queue, ids)
      const missing = jobs.filter((_, index) => exists[index] === false)
      for (let at = 0; at < missing.length; at += longestBatch)
        await addJobs(queue, name, missing.slice(at, at + longestBatch))
      return missing.length
    },
    async remove(name: QueueName, jobIds: readonly string[]): Promise<void> {
      const queue = await obtain(name)
      const exists = await findExisting(queue, jobIds)
      await Promise.all(jobIds.filter((_, index) => exists[index]).map((id) => queue.remove(id)))
    },
    /** Yields batches of ids. Some ids may appear more than once. */
    async *failed(name: QueueName): AsyncGenerator<string[]> {
      const queue = await obtain(name)
      let cursor = '0'
      do {
        const [next, entries] = await connection.zscan(queue.toKey('failed'), cursor, 'COUNT', longestBatch)
        if (entries.length > 0) yield entries.filter((_, index) => index % 2 === 0)
        cursor = next
      } while (cursor !== '0')
    },
    doubt: async (): Promise<void> => void (await connection.del(marker)),
    isComplete: async (): Promise<boolean> => Number(await connection.get(marker)) > 0,
    /**
     * Calls `complete` with the time up to which no job is missing, or null if Redis
     * may have lost some. If it succeeds, that time becomes `completeAt`.
     */
    async keepComplete(completeAt: Date, complete: (since: Date | null) => Promise<void>): Promise<void> {
      const stored = await connection.get(marker)
      const since = Number(stored) || null
      const expected = since === null ? `since ${newId()}` : String(stored)
      if (since === null) await connection.set(marker, expected)
      await complete(since === null ? null : new Date(since))
      const time = Math.max(since ?? 0, completeAt.getTime())
      // Fails if Redis lost data, or somebody doubted it, in the meantime.
      await connection.eval(replaceIfEqual, 1, marker, expected, String(time))
    },
  }
}

const replaceIfEqual = "if redis.call('get', KEYS[1]) == ARGV[1] then redis.call('set', KEYS[1], ARGV[2]) end"
