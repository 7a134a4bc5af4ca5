// The bare worker for the jobs of notify-route.ts. It posts each job to every endpoint.
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
  const response = await request(url, { method: 'POST', headers, body })
  await response.body.dump()
  if (response.statusCode !== 200) throw new Error(`status ${response.statusCode}`)
}

const worker = new Worker<{ reference: string }>(
  notifyQueue,
  async ({ data: { reference } }) => {
    await Promise.all(urls.map((url, index) => post(url, `${reference}-${index}`, reference)))
  },
  {
    connection: new Redis(process.env.REDIS_URL ?? '', { maxRetriesPerRequest: null }),
    concurrency,
    removeOnComplete: { count: 0 },
  },
)
worker.on('failed', (_job, error) => console.error(error))
