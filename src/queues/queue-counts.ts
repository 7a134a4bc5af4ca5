import type { Queue } from 'bullmq'
import { type QueueName, queueNames } from '../../schemas/jobs.ts'
import { type RedisConnection, redisMasters } from './open-redis.ts'

const states = ['waiting', 'active', 'delayed', 'failed'] as const

type JobCounts = Record<(typeof states)[number], number>
type RedisMemory = ReturnType<typeof memoryIn>

export function createQueueCounts(connection: RedisConnection, obtain: (name: QueueName) => Promise<Queue>) {
  const forEachQueue = async <T>(count: (queue: Queue) => Promise<T>): Promise<Map<QueueName, T>> =>
    new Map(
      await Promise.all(queueNames.map(async (name) => [name, await count(await obtain(name))] as const)),
    )
  return {
    jobs: (): Promise<Map<QueueName, JobCounts>> =>
      forEachQueue(async (queue) => {
        const counts = await queue.getJobCounts(...states)
        return Object.fromEntries(states.map((state) => [state, counts[state] ?? 0])) as JobCounts
      }),
    async workers(): Promise<Map<QueueName, number>> {
      const lists = await Promise.all(redisMasters(connection).map((master) => master.client('LIST')))
      const names = lists.map((list) => clientNames(String(list)))
      // A worker connects only to its queue's node.
      return forEachQueue(async (queue) =>
        Math.max(0, ...names.map((ofMaster) => ofMaster.filter(isWorkerOf(queue)).length)),
      )
    },
    memory: (): Promise<RedisMemory> => readMemory(connection),
  }
}

const clientNames = (list: string): string[] =>
  [...list.matchAll(/^.* name=(\S+) /gm)].map(([, name = '']) => name)

/** BullMQ's own method would list all connections for each queue. */
function isWorkerOf({ name, opts: { prefix = 'bull' } }: Queue): (client: string) => boolean {
  const own = `${prefix}:${Buffer.from(name).toString('base64')}`
  return (client) => client === own || client.startsWith(`${own}:w:`)
}

/** Returns the memory use of the fullest master. */
async function readMemory(connection: RedisConnection): Promise<RedisMemory> {
  const infos = await Promise.all(redisMasters(connection).map((master) => master.info('memory')))
  const [first, ...others] = infos.map(memoryIn)
  if (first === undefined) throw new Error('Redis is not connected')
  const share = ({ usedBytes, maxBytes }: RedisMemory): number =>
    usedBytes / (maxBytes ?? Number.MAX_SAFE_INTEGER)
  return others.reduce((most, other) => (share(other) > share(most) ? other : most), first)
}

function memoryIn(info: string) {
  const field = (name: string): string => new RegExp(`^${name}:(\\S+)`, 'm').exec(info)?.[1] ?? ''
  return {
    usedBytes: Number(field('used_memory')),
    maxBytes: Number(field('maxmemory')) || null,
    evicts: !['', 'noeviction'].includes(field('maxmemory_policy')),
  }
}
