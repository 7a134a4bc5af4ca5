// The bare counterpart of a delivery: BullMQ and undici, with the same body and the same concurrency.
import { Worker } from 'bullmq'
import { Redis } from 'ioredis'
import { request } from 'undici'
import { bareQueue, concurrency } from './jobs.ts'

const body = process.env.BODY ?? ''
const headers = { 'Content-Type': 'application/json' }

const worker = new Worker<{ url: string }>(
  bareQueue,
  async ({ data }) => {
    const response = await request(data.url, { method: 'POST', headers, body })
    await response.body.dump()
    if (response.statusCode !== 200) throw new Error(`status ${response.statusCode}`)
  },
  {
    connection: new Redis(process.env.REDIS_URL ?? '', { maxRetriesPerRequest: null }),
    concurrency,
    removeOnComplete: { count: 0 },
  },
)
worker.on('failed', (_job, error) => console.error(error))
