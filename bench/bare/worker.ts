// What delivering is measured against: BullMQ and undici, the same body, the same concurrency, nothing else.
import { Worker } from 'bullmq'
import { Redis } from 'ioredis'
import { request } from 'undici'
import { bareQueue, concurrency } from './jobs.ts'

const body = process.env.BODY ?? ''
const headers = { 'Content-Type': 'application/json' }

const worker = new Worker<{ url: string }>(
  bareQueue,
  async ({ data }) => {
    const answer = await request(data.url, { method: 'POST', headers, body })
    await answer.body.dump()
    if (answer.statusCode !== 200) throw new Error(`status ${answer.statusCode}`)
  },
  {
    connection: new Redis(process.env.REDIS_URL ?? '', { maxRetriesPerRequest: null }),
    concurrency,
    removeOnComplete: { count: 0 },
  },
)
worker.on('failed', (_job, error) => console.error(error))
