import type { Queue } from 'bullmq'
import type { Redis } from 'ioredis'
import { newId } from '../security/ids.ts'
import type { NamedJob, QueueName } from './jobs.ts'
import { addAll } from './producer.ts'

/** The jobs that Redis holds, put right from what MongoDB says. */
export interface StandingJobs {
  /** Adds each job that is not there, in whatever state. Returns how many those were. */
  addMissing<Name extends QueueName>(queue: Name, jobs: readonly NamedJob<Name>[]): Promise<number>
  /** Removes those that are there and not running. */
  remove(queue: QueueName, jobIds: readonly string[]): Promise<void>
  /** The ids of all failed jobs of a queue, some at a time; one may come twice. */
  failed(queue: QueueName): AsyncGenerator<string[]>
  /** Whether Redis still has what `markWhole` left there. */
  isWhole(): Promise<boolean>
  /** Does something that makes Redis whole, and leaves a mark; not if Redis was emptied meanwhile. */
  makeWhole(act: () => Promise<void>): Promise<void>
}

/** So many jobs are added at once: about 10 ms of Redis, for which all others wait. */
const longestBatch = 250

export function createStanding(
  connection: Redis,
  obtain: (name: QueueName) => Promise<Queue>,
  mark: string,
): StandingJobs {
  /** Of each id, whether there is a job. */
  async function look(queue: Queue, jobIds: readonly string[]): Promise<boolean[]> {
    const asked = connection.pipeline()
    for (const id of jobIds) asked.exists(queue.toKey(id))
    const responses = (await asked.exec()) ?? []
    return jobIds.map((_, index) => {
      const [error, count] = responses[index] ?? [new Error('Redis did not respond'), 0]
      if (error !== null) throw error
      return count === 1
    })
  }

  return {
    async addMissing(name, jobs) {
      const queue = await obtain(name)
      const isThere = await look(
        queue,
        jobs.map(({ jobId }) => jobId),
      )
      const missing = jobs.filter((_, index) => isThere[index] === false)
      for (let at = 0; at < missing.length; at += longestBatch)
        await addAll(queue, name, missing.slice(at, at + longestBatch))
      return missing.length
    },
    async remove(name, jobIds) {
      const queue = await obtain(name)
      const isThere = await look(queue, jobIds)
      await Promise.all(jobIds.filter((_, index) => isThere[index]).map((id) => queue.remove(id)))
    },
    async *failed(name) {
      const queue = await obtain(name)
      let cursor = '0'
      do {
        const [next, entries] = await connection.zscan(queue.toKey('failed'), cursor, 'COUNT', longestBatch)
        // Of each its id and its score.
        if (entries.length > 0) yield entries.filter((_, index) => index % 2 === 0)
        cursor = next
      } while (cursor !== '0')
    },
    isWhole: async () => (await connection.get(mark)) === 'whole',
    async makeWhole(act) {
      const mine = newId()
      await connection.set(mark, mine)
      await act()
      // Emptied meanwhile, it is gone, or that of another process that began anew.
      if ((await connection.get(mark)) === mine) await connection.set(mark, 'whole', 'XX')
    },
  }
}
