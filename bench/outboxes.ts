import { Queue } from 'bullmq'
import type { mongo } from 'mongoose'
import type { DeliveryStatus } from '../schemas/deliveries.ts'
import type { Jobs } from '../schemas/jobs.ts'
import type { Intent } from '../src/intents/intent.ts'
import { newId } from '../src/platform/ids.ts'
import { addCopies, ownOf, takeIntent } from './copies.ts'
import { addEndpoint, makeMerchants } from './merchants.ts'
import type { Bench } from './rounds.ts'
import type { Service } from './web-and-worker.ts'

/** The number of intents in one job of the relay. */
const RELAYED_TOGETHER = 500

/** Intents with one event in their outboxes. Each merchant has one endpoint, so that an event is one delivery. */
export interface Outboxes {
  /** Writes intents, spread evenly over the merchants. Their events appear in the outboxes all at once, at the end. */
  fill(count: number): Promise<void>
  /** Adds the relay jobs that creates would add. */
  wake(): Promise<void>
  /** Counts the deliveries with a status that no worker is attempting. */
  countIn(status: DeliveryStatus): Promise<number>
  /** Removes every intent and delivery. */
  clear(): Promise<void>
  close(): Promise<void>
}

/**
 * Creates the merchants and their endpoints. No worker of the service may run yet, because the intents are copies of
 * one that was not relayed.
 */
export async function openOutboxes(
  bench: Bench,
  database: mongo.Db,
  service: Service,
  urls: string[],
  name: 'payment.created' | 'payment.confirmed' = 'payment.created',
): Promise<Outboxes> {
  const merchants = await makeMerchants(service.mongodbUrl, service.secretKey, urls.length, 'test')
  const [first] = merchants
  if (first === undefined) throw new Error('No merchant was created')
  const sample = await takeIntent(database, service.webUrl, first, name === 'payment.confirmed')
  const due = sample.outbox.filter(({ event }) => event === name)
  for (const [index, merchant] of merchants.entries())
    await addEndpoint(service.webUrl, merchant, urls[index] ?? '', [name])
  const relay = new Queue<Jobs['outbox-relay']>('outbox-relay', {
    connection: { url: bench.redisUrl },
    prefix: service.queuePrefix,
  })
  const intents = database.collection<Intent & { hidden?: Intent['outbox'] }>('intents')
  const ids: string[] = []
  return {
    async fill(count) {
      const createdAt = new Date()
      await addCopies(intents, count, (index) => {
        const own = ownOf()
        ids.push(own._id)
        const hidden = due.map((event) => ({ ...event, id: newId(), createdAt }))
        const businessId = merchants[index % merchants.length]?.businessId ?? ''
        return { ...sample, ...own, businessId, createdAt, outbox: [], hidden }
      })
      await intents.updateMany({ hidden: { $exists: true } }, [{ $set: { outbox: '$hidden' } }, { $unset: 'hidden' }])
    },
    async wake() {
      const jobs: { name: string; data: Jobs['outbox-relay'] }[] = []
      while (ids.length > 0)
        jobs.push({
          name: 'outbox-relay',
          data: { intentIds: ids.splice(0, RELAYED_TOGETHER), orderIds: [] },
        })
      await relay.addBulk(jobs)
    },
    countIn: (status) => database.collection('deliveries').countDocuments({ status, leaseToken: null }),
    async clear() {
      await Promise.all([intents.deleteMany({}), database.collection('deliveries').deleteMany({})])
    },
    close: () => relay.close(),
  }
}
