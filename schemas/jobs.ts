import { objectOf, textUpTo } from './responses/fields.ts'

/**
 * All queues and the data of their jobs. A queue has the name of its file in workers/, which is also the `queue` field
 * of log lines. Jobs contain ids but never state: nothing is lost with a job, and nothing changes if it runs twice.
 */
export interface Jobs {
  /** Whose outboxes contain events to relay. */
  'outbox-relay': { intentIds: string[]; orderIds: string[] }
  /** Due now or later. */
  'webhook-delivery': DeliveryJob
  /** Intents that expire within half a second of each other. */
  'intent-expiry': { referenceNumbers: string[] }
  /** A payment or refund with an unknown outcome. The job's id is the key by which the wallet knows it. */
  'wallet-outcome': { intentId: string }
  /** Restores the failed jobs of DEAD deliveries. */
  maintenance: Record<string, never>
  /** Nightly clean-up. It searches MongoDB itself for everything that is due for removal. */
  retention: Record<string, never>
}

/**
 * What the job board shows of a waiting delivery. The job's id contains the delivery's id
 * (webhooks/deliveries/delivery.ts), its name is the event. A great many jobs may wait in Redis for up to a day, so
 * each must be small: if `ref` were called `reference`, each job would take 64 more bytes.
 */
interface DeliveryJob {
  ref: string
  host: string
  /** How many of the possible attempts have failed, for example `3 of 8`. */
  failed?: string
  /** Why the last attempt failed. */
  error?: string
  next?: Date
}

export type QueueName = keyof Jobs

const strings = { type: 'array', items: textUpTo(1000) }

export const maxIntentsPerJob = 100

/** Workers validate each job, because anyone who can write to Redis can add some. */
export const jobSchemas = {
  'outbox-relay': objectOf({ intentIds: strings, orderIds: strings }, {}),
  'webhook-delivery': objectOf({ ref: textUpTo(1000), host: textUpTo(1000) }, {}),
  'intent-expiry': objectOf({ referenceNumbers: { ...strings, maxItems: maxIntentsPerJob } }, {}),
  'wallet-outcome': objectOf({ intentId: textUpTo(1000) }, {}),
  maintenance: objectOf({}, {}),
  retention: objectOf({}, {}),
} satisfies Record<QueueName, object>

/**
 * Nothing is added if a job with the same `jobId` exists or, with `apartMs`, was added less than this long ago. `name`
 * is for staff and defaults to the queue's name.
 */
export interface NewJob<Name extends QueueName> {
  name?: string
  data: Jobs[Name]
  jobId: string | undefined
  delayMs: number
  apartMs?: number
}

/** At most one job with a given id exists at a time. */
export type NamedJob<Name extends QueueName> = NewJob<Name> & { jobId: string }

/** How long the job of a DEAD delivery stays among the failed jobs (30 days). */
export const deadShownSeconds = 2_592_000

/**
 * `concurrency` is per worker process. Normally only the job of a DEAD delivery fails, because others are retried. One
 * that does fail is removed, so that a new job can be added under the same id.
 */
export const queueOptions = {
  // A job has up to 500 intents and orders, and concurrent jobs share their calls to MongoDB. For each set of documents
  // that it relays together, it waits at most 0.2 s (twice 0.1 s) for free slots, because jobs of other businesses are
  // waiting behind it.
  'outbox-relay': { concurrency: 100, keepCompletedSeconds: 0, keepFailedSeconds: 0 },
  // A job only starts its attempt and doesn't wait for the result.
  'webhook-delivery': { concurrency: 100, keepCompletedSeconds: 0, keepFailedSeconds: deadShownSeconds },
  // A job has up to 100 intents, which share their calls to MongoDB. With a higher concurrency, webhook deliveries in
  // the same worker were delayed (measured).
  'intent-expiry': { concurrency: 2, keepCompletedSeconds: 0, keepFailedSeconds: 0 },
  'wallet-outcome': { concurrency: 50, keepCompletedSeconds: 0, keepFailedSeconds: 0 },
  maintenance: { concurrency: 1, keepCompletedSeconds: 0, keepFailedSeconds: 0 },
  // A lease lets only one process at a time run the clean-up (src/retention/record.ts).
  retention: { concurrency: 1, keepCompletedSeconds: 0, keepFailedSeconds: 0 },
} as const satisfies Record<QueueName, object>

export const queueNames = Object.keys(queueOptions) as QueueName[]
