// A delivery reduced to the minimum: BullMQ and undici, with as many concurrent attempts as the service's worker.
import { Worker } from 'bullmq'
import { Redis } from 'ioredis'
import { request } from 'undici'
import { order } from '../calls.ts'
import { type BareJob, bareQueue } from './jobs.ts'

const headers = { 'Content-Type': 'application/json' }
const bodyOf = (reference: string, id: string): string =>
  process.env.BODY ??
  JSON.stringify({ id, event: 'payment.created', data: { reference_number: reference, ...order } })

async function post(url: string, body: string): Promise<void> {
  const response = await request(url, { method: 'POST', headers, body })
  await response.body.dump()
  if (response.statusCode !== 200) throw new Error(`status ${response.statusCode}`)
}

const worker = new Worker<BareJob>(
  bareQueue,
  async ({ data: { urls, reference } }) => {
    await Promise.all(urls.map((url, index) => post(url, bodyOf(reference, `${reference}-${index}`))))
  },
  {
    connection: new Redis(process.env.REDIS_URL ?? '', { maxRetriesPerRequest: null }),
    concurrency: 200,
    removeOnComplete: { count: 0 },
  },
)
worker.on('failed', (_job, error) => console.error(error))
