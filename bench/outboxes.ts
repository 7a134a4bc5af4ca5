import { Queue } from 'bullmq'
import type { mongo } from 'mongoose'
import type { DeliveryStatus } from '../schemas/list-deliveries.ts'
import type { Intent } from '../src/intents/intent.ts'
import type { Jobs } from '../src/queues/jobs.ts'
import { newId } from '../src/security/ids.ts'
import { addCopies, ownOf, takeIntent } from './copies.ts'
import { addEndpoint, makeMerchants } from './merchants.ts'
import type { Bench } from './rounds.ts'
import type { Service } from './web-and-worker.ts'

/** As many intents as one job of the relay carries. */
const RELAYED_TOGETHER = 500

/** Intents with `payment.created` in their outboxes, of merchants with one endpoint each: an event is a delivery. */
export interface Outboxes {
  /** Writes that many intents, spread evenly over the merchants. Their events appear in the outboxes all at once, at the end. */
  fill(count: number): Promise<void>
  /** Sends the relay the jobs that a create sends. */
  wake(): Promise<void>
  /** The deliveries of a status that no worker is attempting. */
  countIn(status: DeliveryStatus): Promise<number>
  /** Removes every intent and delivery. */
  clear(): Promise<void>
  close(): Promise<void>
}

/** Creates the merchants and their endpoints. No worker of the service may run yet: the intents are copies of one that was not relayed. */
export async function openOutboxes(
  bench: Bench,
  books: mongo.Db,
  service: Service,
  urls: string[],
): Promise<Outboxes> {
  const merchants = await makeMerchants(service.mongodbUrl, service.secretKey, urls.length, 'test')
  const [first] = merchants
  if (first === undefined) throw new Error('No merchant was created')
  const sample = await takeIntent(books, service.webUrl, first, false)
  for (const [place, merchant] of merchants.entries())
    await addEndpoint(service.webUrl, merchant, urls[place] ?? '', ['payment.created'])
  const relay = new Queue<Jobs['outbox-relay']>('outbox-relay', {
    connection: { url: bench.redisUrl },
    prefix: service.queuePrefix,
  })
  const intents = books.collection<Intent & { hidden?: Intent['outbox'] }>('intents')
  const ids: string[] = []
  return {
    async fill(count) {
      const createdAt = new Date()
      await addCopies(intents, count, (place) => {
        const own = ownOf()
        ids.push(own._id)
        const hidden = sample.outbox.map((event) => ({ ...event, id: newId(), createdAt }))
        const businessId = merchants[place % merchants.length]?.businessId ?? ''
        return { ...sample, ...own, businessId, createdAt, outbox: [], hidden }
      })
      await intents.updateMany({ hidden: { $exists: true } }, [
        { $set: { outbox: '$hidden' } },
        { $unset: 'hidden' },
      ])
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
    countIn: (status) => books.collection('deliveries').countDocuments({ status, leaseToken: null }),
    async clear() {
      await Promise.all([intents.deleteMany({}), books.collection('deliveries').deleteMany({})])
    },
    close: () => relay.close(),
  }
}
