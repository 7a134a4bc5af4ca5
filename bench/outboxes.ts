import { Queue } from 'bullmq'
import type { JobPayloads } from '../schemas/jobs.ts'
import type { Intent } from '../src/intents/intent.ts'
import { newId } from '../src/platform/ids.ts'
import type { Bench } from './benchmark.ts'
import { addCopies, ownOf, takeIntent } from './copies.ts'
import type { Setting } from './setting.ts'

const RELAYED_TOGETHER = 500

/** Intents with one event in their outboxes. Each merchant has one endpoint, so that an event is one delivery. */
export interface Outboxes {
  /** Spreads intents evenly over the merchants. Their events appear in the outboxes all at once, at the end. */
  fill(count: number): Promise<void>
  /** Enqueues the relay jobs that creates would enqueue. */
  wake(): Promise<void>
  clear(): Promise<void>
  close(): Promise<void>
}

/** No worker may run yet, because the intents are copies of one that was not relayed. */
export async function openOutboxes({ redisUrl }: Bench, setting: Setting): Promise<Outboxes> {
  const { service, database, merchants } = setting
  const sample = await takeIntent(setting)
  const relay = new Queue<JobPayloads['outbox-relay']>('outbox-relay', {
    connection: { url: redisUrl },
    prefix: service.name,
  })
  const intents = database.collection<Intent & { hidden?: Intent['outbox'] }>('intents')
  const ids: string[] = []
  return {
    async fill(count) {
      const createdAt = new Date()
      await addCopies(intents, count, (index) => {
        const own = ownOf()
        ids.push(own._id)
        const hidden = sample.outbox.map((event) => ({ ...event, id: newId(), createdAt }))
        const businessId = merchants[index % merchants.length]?.businessId ?? ''
        return { ...sample, ...own, businessId, createdAt, outbox: [], hidden }
      })
      await intents.updateMany({ hidden: { $exists: true } }, [
        { $set: { outbox: '$hidden' } },
        { $unset: 'hidden' },
      ])
    },
    async wake() {
      const jobs: JobPayloads['outbox-relay'][] = []
      while (ids.length > 0) jobs.push({ intentIds: ids.splice(0, RELAYED_TOGETHER), orderIds: [] })
      await relay.addBulk(jobs.map((data) => ({ name: 'outbox-relay', data })))
    },
    async clear() {
      await Promise.all([intents.deleteMany({}), database.collection('deliveries').deleteMany({})])
    },
    close: () => relay.close(),
  }
}
