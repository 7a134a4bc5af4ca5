import { objectSchema, textSchema } from './responses/fields.ts'

/** A job contains only ids, so losing it or running it twice is harmless. */
export interface JobPayloads {
  'outbox-relay': { intentIds: string[]; orderIds: string[] }
  'webhook-delivery': DeliveryJob
  /** These intents expire within half a second of each other. */
  'intent-expiry': { referenceNumbers: string[] }
  /** The wallet uses the job's id as the idempotency key. */
  'wallet-outcome': { intentId: string }
  maintenance: Record<string, never>
  retention: Record<string, never>
}

/** Keys are short because many jobs wait in Redis for up to a day. */
interface DeliveryJob {
  ref: string
  host: string
  /** Failed attempts, e.g. `3 of 8`. */
  failed?: string
  error?: string
  next?: Date
}

export type QueueName = keyof JobPayloads

const strings = { type: 'array', items: textSchema(1000) }

export const maxIntentsPerJob = 100

/** Skipped if a job with this `jobId` exists, or existed within `apartMs`. */
export interface NewJob<Name extends QueueName> {
  name?: string
  data: JobPayloads[Name]
  jobId?: string
  delayMs?: number
  apartMs?: number
}

export type JobWithId<Name extends QueueName> = NewJob<Name> & { jobId: string }

/** 30 days. */
export const deadJobSeconds = 2_592_000

/**
 * `job` validates data, because anyone who can write to Redis can add jobs.
 * Bull Board shows the description and these fields of the data.
 */
export const queueSettings = {
  'outbox-relay': {
    description: 'Turns events into deliveries.',
    // Concurrent jobs share MongoDB calls.
    concurrency: 100,
    job: objectSchema({ intentIds: strings, orderIds: strings }),
  },
  'webhook-delivery': {
    description:
      'Delayed: waits for the next attempt or for a slot. Failed: DEAD; Retry re-queues it. A delivery whose first attempt succeeds at once has no job.',
    // A job only starts its attempt and doesn't wait for the result.
    concurrency: 100,
    job: objectSchema({ ref: textSchema(1000), host: textSchema(1000) }, {
      failed: {},
      error: {},
      next: {},
    } satisfies { [Field in keyof DeliveryJob]?: object }),
  },
  'intent-expiry': {
    description: 'Expires payment intents that are not paid in time.',
    // A higher concurrency delayed webhook deliveries (measured).
    concurrency: 2,
    job: objectSchema({ referenceNumbers: { ...strings, maxItems: maxIntentsPerJob } }),
  },
  'wallet-outcome': {
    description: 'Asks wallets about payments and refunds whose outcome is unknown.',
    concurrency: 50,
    job: objectSchema({ intentId: textSchema(1000) }),
  },
  maintenance: {
    description: 'Restores the failed jobs of DEAD deliveries.',
    concurrency: 1,
    job: objectSchema({}),
  },
  retention: {
    description: 'Deletes old data every night.',
    // A lease keeps other processes from cleaning up at the same time.
    concurrency: 1,
    job: objectSchema({}),
  },
} as const satisfies Record<QueueName, object>

export const queueNames = Object.keys(queueSettings) as QueueName[]
