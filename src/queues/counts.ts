import type { Queue } from 'bullmq'
import type { Redis } from 'ioredis'
import { type QueueName, queueNames } from './jobs.ts'

/** The number of jobs in each state. A `waiting` job runs as soon as a worker is free. */
export interface JobCounts {
  waiting: number
  active: number
  delayed: number
  failed: number
}

export interface Memory {
  usedBytes: number
  /** The configured memory limit, or null if only the machine's memory limits Redis. */
  maxBytes: number | null
  /** Whether Redis is configured to evict keys when it is full. */
  evicts: boolean
}

/** Reads figures about the queues and Redis. All functions wait for Redis, and they throw if Redis is unreachable. */
export interface QueueCounts {
  jobs(): Promise<Map<QueueName, JobCounts>>
  /** Returns how many BullMQ workers each queue has across all processes. Throws if Redis forbids `CLIENT LIST`. */
  workers(): Promise<Map<QueueName, number>>
  /** Reads Redis's memory figures. Throws if Redis forbids `INFO`. */
  memory(): Promise<Memory>
}

export function createCounts(connection: Redis, obtain: (name: QueueName) => Promise<Queue>): QueueCounts {
  const forEachQueue = async <T>(count: (queue: Queue) => Promise<T>): Promise<Map<QueueName, T>> =>
    new Map(
      await Promise.all(queueNames.map(async (name) => [name, await count(await obtain(name))] as const)),
    )
  return {
    jobs: () => forEachQueue(countJobs),
    async workers() {
      const names = clientNames(String(await connection.client('LIST')))
      return forEachQueue(async (queue) => names.filter(isWorkerOf(queue)).length)
    },
    memory: async () => readMemory(await connection.info('memory')),
  }
}

/** Extracts the client names from the output of `CLIENT LIST`. */
const clientNames = (list: string): string[] =>
  [...list.matchAll(/^.* name=(\S+) /gm)].map(([, name = '']) => name)

/**
 * Returns a function that recognises the client names of a queue's BullMQ workers. BullMQ's own method for counting
 * workers is not used, because it would make Redis list all connections once per queue.
 */
function isWorkerOf({ name, opts: { prefix = 'bull' } }: Queue): (client: string) => boolean {
  const own = `${prefix}:${Buffer.from(name).toString('base64')}`
  return (client) => client === own || client.startsWith(`${own}:w:`)
}

async function countJobs(queue: Queue): Promise<JobCounts> {
  const {
    waiting = 0,
    active = 0,
    delayed = 0,
    failed = 0,
  } = await queue.getJobCounts('waiting', 'active', 'delayed', 'failed')
  return { waiting, active, delayed, failed }
}

function readMemory(info: string): Memory {
  const field = (name: string): string => new RegExp(`^${name}:(\\S+)`, 'm').exec(info)?.[1] ?? ''
  return {
    usedBytes: Number(field('used_memory')),
    maxBytes: Number(field('maxmemory')) || null,
    evicts: !['', 'noeviction'].includes(field('maxmemory_policy')),
  }
}
