import { objectOf, textUpTo } from './responses/fields.ts'

/** A job contains ids but no state, so losing one or running it twice does no harm. */
export interface Jobs {
  'outbox-relay': { intentIds: string[]; orderIds: string[] }
  'webhook-delivery': DeliveryJob
  /** These intents expire within half a second of each other. */
  'intent-expiry': { referenceNumbers: string[] }
  /** The job's id is the key by which the wallet knows the payment or refund. */
  'wallet-outcome': { intentId: string }
  maintenance: Record<string, never>
  retention: Record<string, never>
}

/**
 * Staff see these fields on the job board. The keys are short because many jobs wait in Redis for up to a day:
 * `ref` instead of `reference` saves 64 bytes per job.
 */
interface DeliveryJob {
  ref: string
  host: string
  /** E.g. `3 of 8`. */
  failed?: string
  error?: string
  next?: Date
}

export type QueueName = keyof Jobs

const strings = { type: 'array', items: textUpTo(1000) }

export const maxIntentsPerJob = 100

/** A job is added only if none with its `jobId` exists or, with `apartMs`, was added less than this long ago. */
export interface NewJob<Name extends QueueName> {
  name?: string
  data: Jobs[Name]
  jobId: string | undefined
  delayMs: number
  apartMs?: number
}

export type NamedJob<Name extends QueueName> = NewJob<Name> & { jobId: string }

/** 30 days. */
export const deadShownSeconds = 2_592_000

/**
 * `concurrency` is per process. `job` validates job data, because anyone who can write to Redis can add jobs. A failed
 * job is removed, so that its id is free again, unless its delivery is DEAD.
 */
export const queueSettings = {
  // A full relay job is up to 500 documents, and concurrent jobs share their calls to MongoDB. For free slots, a job
  // waits at most 0.2 s per set of documents, because jobs of other businesses are behind it.
  'outbox-relay': { concurrency: 100, job: objectOf({ intentIds: strings, orderIds: strings }) },
  // A job only starts its attempt and doesn't wait for the result.
  'webhook-delivery': { concurrency: 100, job: objectOf({ ref: textUpTo(1000), host: textUpTo(1000) }) },
  // Any more delayed webhook deliveries in the same worker (measured).
  'intent-expiry': {
    concurrency: 2,
    job: objectOf({ referenceNumbers: { ...strings, maxItems: maxIntentsPerJob } }),
  },
  'wallet-outcome': { concurrency: 50, job: objectOf({ intentId: textUpTo(1000) }) },
  maintenance: { concurrency: 1, job: objectOf({}) },
  // A lease also lets only one process at a time run the clean-up (src/retention/record.ts).
  retention: { concurrency: 1, job: objectOf({}) },
} as const satisfies Record<QueueName, object>

export const queueNames = Object.keys(queueSettings) as QueueName[]
