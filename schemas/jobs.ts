import { objectSchema, textSchema } from './responses/fields.ts'

/** A job contains ids but no state, so losing one or running it twice does no harm. */
export interface JobPayloads {
  'outbox-relay': { intentIds: string[]; orderIds: string[] }
  'webhook-delivery': DeliveryJob
  /** These intents expire within half a second of each other. */
  'intent-expiry': { referenceNumbers: string[] }
  /** The job's id is the idempotency key of the payment or refund at the wallet. */
  'wallet-outcome': { intentId: string }
  maintenance: Record<string, never>
  retention: Record<string, never>
}

/**
 * Staff see these fields on the job board. Keys are short because many jobs wait in Redis for up to a day:
 * `ref` instead of `reference` saves 64 bytes per job.
 */
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

/** A job isn't added if its `jobId` still exists, or was last added less than `apartMs` ago. */
export interface NewJob<Name extends QueueName> {
  name?: string
  data: JobPayloads[Name]
  jobId?: string
  /** 0 by default. */
  delayMs?: number
  apartMs?: number
}

export type JobWithId<Name extends QueueName> = NewJob<Name> & { jobId: string }

/** 30 days. */
export const deadJobSeconds = 2_592_000

/**
 * `concurrency` is per process. `job` validates job data, because anyone who can write to Redis can add jobs.
 * Failed jobs are removed to free their ids, unless the delivery is DEAD.
 */
export const queueSettings = {
  // A job relays up to 500 documents, and concurrent jobs share their MongoDB calls. Per batch, a job waits
  // at most 0.2 s for free slots, because waiting delays other businesses' jobs.
  'outbox-relay': { concurrency: 100, job: objectSchema({ intentIds: strings, orderIds: strings }) },
  // A job only starts its attempt and doesn't wait for the result.
  'webhook-delivery': {
    concurrency: 100,
    job: objectSchema({ ref: textSchema(1000), host: textSchema(1000) }),
  },
  // A higher concurrency delayed webhook deliveries in the same worker (measured).
  'intent-expiry': {
    concurrency: 2,
    job: objectSchema({ referenceNumbers: { ...strings, maxItems: maxIntentsPerJob } }),
  },
  'wallet-outcome': { concurrency: 50, job: objectSchema({ intentId: textSchema(1000) }) },
  maintenance: { concurrency: 1, job: objectSchema({}) },
  // A lease keeps other processes from cleaning up at the same time (src/retention/record.ts).
  retention: { concurrency: 1, job: objectSchema({}) },
} as const satisfies Record<QueueName, object>

export const queueNames = Object.keys(queueSettings) as QueueName[]
