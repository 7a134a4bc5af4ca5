import type { Queue } from 'bullmq'
import type { Redis } from 'ioredis'
import { type QueueName, queueNames } from './jobs.ts'

/** How many jobs of a queue stand where. `waiting`: they may run as soon as somebody takes them. */
export interface JobCounts {
  waiting: number
  active: number
  delayed: number
  failed: number
}

export interface Memory {
  usedBytes: number
  /** Null: as much as the machine has. */
  mostBytes: number | null
  /** Whether keys are forgotten when it is full. */
  evicts: boolean
}

/** What can be counted of the queues and of Redis. All of it waits for Redis, and throws without it. */
export interface QueueCounts {
  jobs(): Promise<Map<QueueName, JobCounts>>
  /** How many loops of worker processes take jobs from each queue. Throws where `CLIENT LIST` is forbidden. */
  workers(): Promise<Map<QueueName, number>>
  /** Throws where `INFO` is forbidden. */
  memory(): Promise<Memory>
}

export function createCounts(connection: Redis, obtain: (name: QueueName) => Promise<Queue>): QueueCounts {
  const ofEach = async <T>(count: (queue: Queue) => Promise<T>): Promise<Map<QueueName, T>> =>
    new Map(
      await Promise.all(queueNames.map(async (name) => [name, await count(await obtain(name))] as const)),
    )
  return {
    jobs: () => ofEach(countJobs),
    async workers() {
      const names = clientNames(String(await connection.client('LIST')))
      return ofEach(async (queue) => names.filter(isWorkerOf(queue)).length)
    },
    memory: async () => readMemory(await connection.info('memory')),
  }
}

/** The names that connections of Redis have given themselves. */
const clientNames = (list: string): string[] =>
  [...list.matchAll(/^.* name=(\S+) /gm)].map(([, name = '']) => name)

/** BullMQ's workers call themselves so. Asked for each queue alone, it would have Redis list all its connections each time. */
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
    mostBytes: Number(field('maxmemory')) || null,
    evicts: !['', 'noeviction'].includes(field('maxmemory_policy')),
  }
}
