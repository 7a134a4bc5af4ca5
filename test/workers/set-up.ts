import type { ServerResponse } from 'node:http'
import { Queue } from 'bullmq'
import { Redis } from 'ioredis'
import type { QueueName } from '../../schemas/jobs.ts'
import type { Deps } from '../../src/platform/deps.ts'
import type { Delivery } from '../../src/webhooks/deliveries/delivery.ts'
import { createIntent, deliveriesOf, storedDelivery } from '../support/actions.ts'
import type { EndpointServer } from '../support/endpoint-server.ts'
import { servers } from '../support/servers.ts'
import type { Merchant, Service } from '../support/service.ts'
import { waitFor } from '../support/wait-for.ts'
import { withOpened } from '../support/with.ts'

export const createIntents = (service: Service, merchant: Merchant, count: number) =>
  Promise.all(Array.from({ length: count }, () => createIntent(service, merchant)))

export const allDelivered = (service: Service, merchant: Merchant, count: number, withinMs?: number) =>
  waitFor(
    `${count} are delivered`,
    async () => {
      const made = await deliveriesOf(service, merchant)
      return made.length === count && made.every(({ status }) => status === 'DELIVERED') && made
    },
    withinMs,
  )

export const hasStatus = (service: Service, _id: string, status: Delivery['status']): Promise<Delivery> =>
  waitFor(`${_id} is ${status}`, async () => {
    const now = await storedDelivery(service, { _id })
    return now.status === status && now
  })

/** Each request waits until `release`. From then on, the endpoint responds at once. */
export function holdRequests(endpointServer: EndpointServer): { release(): void } {
  const held: ServerResponse[] = []
  endpointServer.respondWith((res) => void held.push(res))
  return {
    release() {
      endpointServer.respondWith((res) => void res.end())
      for (const res of held) res.end()
    },
  }
}

type Batchers = Deps['batchers']

export const withBatchers = (deps: Deps, changes: Partial<Batchers>): Deps => ({
  ...deps,
  batchers: { ...deps.batchers, ...changes },
})

export const beforeInsert = (deps: Deps, act: () => unknown): Deps =>
  withBatchers(deps, {
    async insertDelivery(...item: Parameters<Batchers['insertDelivery']>) {
      await act()
      return deps.batchers.insertDelivery(...item)
    },
  })

export const withQueues = (per: 'describe' | 'test') =>
  withOpened(
    async () => {
      const redis = new Redis(servers.redisUrl, { maxRetriesPerRequest: null })
      const queues: Queue[] = []
      return {
        redis,
        open({ deps: { config } }: Service, name: QueueName): Queue {
          const queue = new Queue(name, { connection: redis, prefix: config.queuePrefix })
          queues.push(queue)
          return queue
        },
        async close() {
          await Promise.all(queues.map((queue) => queue.close()))
          redis.disconnect()
        },
      }
    },
    ({ close }) => close(),
    per,
  )

export const isIn = (queue: Queue, jobId: string, state: string): Promise<true> =>
  waitFor(`${jobId} is ${state}`, async () => (await queue.getJobState(jobId)) === state)
