import { objectOf, text } from './responses/fields.ts'

/**
 * All queues and the data that their jobs contain. Each queue has the same name as its file in workers/, and log lines
 * contain this name in the `queue` field. Jobs contain ids but never state, so nothing is lost if a job is lost, and
 * nothing changes if a job runs twice.
 */
export interface Jobs {
  /** Intents and orders whose outboxes contain events to relay. */
  'outbox-relay': { intentIds: string[]; orderIds: string[] }
  /** A delivery that is due or will become due. */
  'webhook-delivery': DeliveryJob
  /** Intents that expire within half a second of each other. */
  'intent-expiry': { referenceNumbers: string[] }
  /**
   * A payment or refund with an unknown outcome. The job's id is the key by which the wallet identifies the payment or
   * refund.
   */
  'wallet-outcome': { intentId: string }
  /** Restores the failed jobs of DEAD deliveries. */
  maintenance: Record<string, never>
  /**
   * The nightly clean-up. The job contains no data, because the clean-up itself searches MongoDB for everything that is
   * due for removal.
   */
  retention: Record<string, never>
}

/**
 * The fields of a waiting delivery that the job board shows to support staff. The job's id contains the delivery's id
 * (webhooks/deliveries/delivery-job.ts), and the job's name is the name of the event. A great many jobs may be waiting
 * in Redis for up to a day, so each job must be small. For example, if the field `ref` were called `reference`, each
 * job would use 64 bytes more of Redis's memory.
 */
interface DeliveryJob {
  ref: string
  host: string
  /** How many of the possible attempts have failed, for example `3 of 8`. */
  failed?: string
  /** Why the last attempt failed. */
  error?: string
  /** When the next attempt is due. */
  next?: Date
}

export type QueueName = keyof Jobs

const strings = { type: 'array', items: text(1000) }

/** The maximum number of intents in a job that expires intents. */
export const maxIntentsPerJob = 100

/** The schema of each queue's jobs. Workers validate them, because anyone who can write to Redis can add jobs. */
export const jobSchemas = {
  'outbox-relay': objectOf({ intentIds: strings, orderIds: strings }, {}),
  'webhook-delivery': objectOf({ ref: text(1000), host: text(1000) }, {}),
  'intent-expiry': objectOf({ referenceNumbers: { ...strings, maxItems: maxIntentsPerJob } }, {}),
  'wallet-outcome': objectOf({ intentId: text(1000) }, {}),
  maintenance: objectOf({}, {}),
  retention: objectOf({}, {}),
} satisfies Record<QueueName, object>

/**
 * A job to add. If a job with the same `jobId` already exists, nothing is added. `name` is shown to staff and defaults
 * to the queue's name. With `apartMs`, nothing is added either if a job with this id was added less than this long ago.
 */
export interface NewJob<Name extends QueueName> {
  name?: string
  data: Jobs[Name]
  jobId: string | undefined
  delayMs: number
  apartMs?: number
}

/** A job with its own id. At most one job with a given id can exist at a time. */
export type NamedJob<Name extends QueueName> = NewJob<Name> & { jobId: string }

/** How long the job of a DEAD delivery stays among the failed jobs (30 days). */
export const deadShownSeconds = 2_592_000

/**
 * How the jobs in each queue are run, and how long they are kept. `concurrency` is the limit per worker process.
 * Normally only the job of a DEAD delivery fails, because other jobs are retried after an error. If another job does
 * fail, it is removed, so that a new job can be added under the same id.
 */
export const queueOptions = {
  // A job contains up to 500 intents and orders, and concurrent jobs share their calls to MongoDB. For each set of
  // documents that a job relays together, it waits for free slots for at most 0.2 s (two waits of 0.1 s), because jobs
  // of other businesses are waiting behind it.
  'outbox-relay': { concurrency: 100, keepCompletedSeconds: 0, keepFailedSeconds: 0 },
  // A job only starts its attempt and does not wait for the result.
  'webhook-delivery': { concurrency: 100, keepCompletedSeconds: 0, keepFailedSeconds: deadShownSeconds },
  // A job contains up to 100 intents, which share their calls to MongoDB. In measurements with a higher concurrency,
  // webhook deliveries in the same worker were delayed.
  'intent-expiry': { concurrency: 2, keepCompletedSeconds: 0, keepFailedSeconds: 0 },
  'wallet-outcome': { concurrency: 50, keepCompletedSeconds: 0, keepFailedSeconds: 0 },
  maintenance: { concurrency: 1, keepCompletedSeconds: 0, keepFailedSeconds: 0 },
  // A lease ensures that only one process at a time runs the clean-up (src/retention/record.ts).
  retention: { concurrency: 1, keepCompletedSeconds: 0, keepFailedSeconds: 0 },
} as const satisfies Record<QueueName, object>

export const queueNames = Object.keys(queueOptions) as QueueName[]
