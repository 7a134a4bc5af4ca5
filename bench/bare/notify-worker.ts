// The other half of notify-route.ts: a job is posted to two receivers, and that is all.
import { Worker } from 'bullmq'
import { Redis } from 'ioredis'
import { request } from 'undici'
import { order } from '../order.ts'
import { concurrency, notifyQueue } from './jobs.ts'

const urls = (process.env.URLS ?? '').split(',')
const headers = { 'Content-Type': 'application/json' }

async function post(url: string, id: string, reference: string): Promise<void> {
  const body = JSON.stringify({
    id,
    event: 'payment.created',
    data: { reference_number: reference, ...order },
  })
  const answer = await request(url, { method: 'POST', headers, body })
  await answer.body.dump()
  if (answer.statusCode !== 200) throw new Error(`status ${answer.statusCode}`)
}

const worker = new Worker<{ reference: string }>(
  notifyQueue,
  async ({ data: { reference } }) => {
    await Promise.all(urls.map((url, place) => post(url, `${reference}-${place}`, reference)))
  },
  {
    connection: new Redis(process.env.REDIS_URL ?? '', { maxRetriesPerRequest: null }),
    concurrency,
    removeOnComplete: { count: 0 },
  },
)
worker.on('failed', (_job, error) => console.error(error))
