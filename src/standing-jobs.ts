import type { Queue } from 'bullmq'
import type { Redis } from 'ioredis'
import { newId } from './ids.ts'
import type { NamedJob, QueueName } from './jobs.ts'
import { addAll } from './nudges.ts'

/** A job and the queue where it belongs. */
export interface Placed {
  queue: QueueName
  job: NamedJob<QueueName>
}

/** The jobs that Redis holds, put right from what MongoDB says. `among`: the queues in which one of these may stand. */
export interface StandingJobs {
  /**
   * Adds each job unless one with its id waits or runs in one of the queues. First removes a job that has ended, or that a wrong wall clock
   * has delayed too long, because BullMQ ignores an add with a known id.
   */
  readd(among: readonly QueueName[], placed: readonly Placed[]): Promise<void>
  /** Adds each job that is in none of the queues, in whatever state. Answers how many that were. */
  addMissing(among: readonly QueueName[], placed: readonly Placed[]): Promise<number>
  /** Removes those that are there and not running. */
  remove(among: readonly QueueName[], jobIds: readonly string[]): Promise<void>
  /** The ids of all failed jobs of a queue, some at a time; one may come twice. */
  failed(queue: QueueName): AsyncGenerator<string[]>
  /** Whether Redis still has what `markWhole` left there. */
  isWhole(): Promise<boolean>
  /** Does something that makes Redis whole, and leaves a mark; not if Redis was emptied meanwhile. */
  makeWhole(act: () => Promise<void>): Promise<void>
}

/** `astray`: the job is due, but BullMQ has delayed it much further, or has not promoted it. */
type State = 'absent' | 'under way' | 'ended' | 'astray'

/** So many jobs are added at once: about 10 ms of Redis, for which all others wait. */
const longestBatch = 250

/**
 * BullMQ delays and promotes jobs by the wall clocks of the processes. A due job is delayed by at most 10 s (longer delays of a delivery are
 * kept in MongoDB) and is promoted right after.
 */
const aheadAtMostMs = 15_000
const behindAtMostMs = 5_000
/** BullMQ's score of a delayed job is its time in milliseconds, times this, plus a counter. */
const scorePerMs = 0x1000

export function createStanding(
  connection: Redis,
  obtain: (name: QueueName) => Promise<Queue>,
  mark: string,
  now: () => Date,
): StandingJobs {
  /** Of each id its state in each queue. */
  async function look(among: readonly QueueName[], jobIds: readonly string[]): Promise<State[][]> {
    const queues = await Promise.all(among.map(obtain))
    const asked = connection.pipeline()
    for (const id of jobIds)
      for (const queue of queues) asked.hmget(queue.toKey(id), 'timestamp', 'finishedOn')
    const answers = (await asked.exec()) ?? []
    return jobIds.map((_, job) =>
      queues.map((_queue, place) => stateOf(answers[job * queues.length + place])),
    )
  }

  /** Marks the due jobs that a wrong clock has delayed. */
  async function findAstray(
    among: readonly QueueName[],
    placed: readonly Placed[],
    states: State[][],
  ): Promise<void> {
    const queues = await Promise.all(among.map(obtain))
    const looked = placed.flatMap(({ job: { jobId, delayMs } }, job) =>
      queues.flatMap((queue, place) => {
        const of = states[job]
        const isDue = delayMs === 0 && of?.[place] === 'under way'
        return of !== undefined && isDue ? [{ key: queue.toKey('delayed'), jobId, of, place }] : []
      }),
    )
    const asked = connection.pipeline()
    for (const { key, jobId } of looked) asked.zscore(key, jobId)
    const answers = (await asked.exec()) ?? []
    const nowMs = now().getTime()
    for (const [index, { of, place }] of looked.entries())
      if (isAstray(answers[index], nowMs)) of[place] = 'astray'
  }

  async function removeUseless(
    among: readonly QueueName[],
    jobIds: string[],
    states: State[][],
  ): Promise<void> {
    for (const [place, name] of among.entries()) {
      const useless = jobIds.filter((_, job) => ['ended', 'astray'].includes(String(states[job]?.[place])))
      const queue = await obtain(name)
      await Promise.all(useless.map((id) => queue.remove(id)))
    }
  }

  async function add(placed: readonly Placed[]): Promise<void> {
    for (const name of new Set(placed.map(({ queue }) => queue))) {
      const jobs = placed.filter(({ queue }) => queue === name).map(({ job }) => job)
      const queue = await obtain(name)
      while (jobs.length > 0) await addAll(queue, name, jobs.splice(0, longestBatch))
    }
  }

  return {
    async readd(among, placed) {
      const jobIds = placed.map(({ job }) => job.jobId)
      const states = await look(among, jobIds)
      await findAstray(among, placed, states)
      await removeUseless(among, jobIds, states)
      await add(placed.filter((_, job) => !states[job]?.includes('under way')))
    },
    async addMissing(among, placed) {
      const states = await look(
        among,
        placed.map(({ job }) => job.jobId),
      )
      const missing = placed.filter((_, job) => states[job]?.every((state) => state === 'absent'))
      await add(missing)
      return missing.length
    },
    async remove(among, jobIds) {
      const states = await look(among, jobIds)
      for (const [place, name] of among.entries()) {
        const there = jobIds.filter((_, job) => states[job]?.[place] !== 'absent')
        const queue = await obtain(name)
        await Promise.all(there.map((id) => queue.remove(id)))
      }
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
      // Emptied meanwhile, it is gone, or another sweep's that began anew.
      if ((await connection.get(mark)) === mine) await connection.set(mark, 'whole', 'XX')
    },
  }
}

/** What BullMQ's hash of a job tells: it has a `timestamp` from the beginning, and `finishedOn` once it has ended. */
function stateOf(answered: [Error | null, unknown] | undefined): State {
  const [error, answer] = answered ?? [new Error('Redis gave no answer'), null]
  if (error !== null) throw error
  const [timestamp, finishedOn] = answer as (string | null)[]
  if (timestamp === null) return 'absent'
  return finishedOn === null ? 'under way' : 'ended'
}

function isAstray(answered: [Error | null, unknown] | undefined, nowMs: number): boolean {
  const [error, score] = answered ?? [new Error('Redis gave no answer'), null]
  if (error !== null) throw error
  if (score === null) return false
  const aheadMs = Number(score) / scorePerMs - nowMs
  return aheadMs > aheadAtMostMs || aheadMs < -behindAtMostMs
}
