/**
 * All queues and the data that their jobs contain. A queue has the same name as its file in workers/ and its log field.
 * Jobs contain ids but never state, so nothing is lost if a job is lost, and nothing changes if a job runs twice.
 */
export interface Jobs {
  /** Intents and orders whose outboxes contain events to relay. */
  'outbox-relay': { intentIds: string[]; orderIds: string[] }
  /** A delivery that is due or will become due. */
  'webhook-delivery': DeliveryJob
  /** Intents that expire within half a second of each other. */
  'intent-expiry': { referenceNumbers: string[] }
  /** A payment or refund with an unknown outcome. The job's id is the key that identifies it at the wallet. */
  'wallet-outcome': { intentId: string }
  /** Restores the failed jobs of DEAD deliveries: either the recent ones, or all that Redis may have lost. */
  maintenance: { slot: string; reach: 'lately' | 'all' }
  /** The nightly clean-up. It searches MongoDB for everything that is due for removal. */
  retention: Record<string, never>
}

/**
 * The fields of a waiting delivery that support staff see. The job's id contains the delivery's id
 * (webhooks/deliveries/delivery-job.ts), and the job's name is the event. Very many jobs may be waiting in Redis for up
 * to a day, so each must be small: the name `reference` instead of `ref` would add 64 bytes to each job.
 */
interface DeliveryJob {
  ref: string
  host: string
  /** The number of failed attempts out of the maximum, such as `3 of 8`. */
  failed?: string
  /** Why the last attempt failed. */
  error?: string
  /** When the next attempt is due. */
  next?: Date
}

export type QueueName = keyof Jobs

/**
 * A job to add. If a job with the same `jobId` already exists, nothing is added. `name` is shown to staff and defaults
 * to the queue's name. If `freesId` is set, the id can be reused as soon as the job has completed, even if the queue
 * keeps its completed jobs longer.
 */
export interface NewJob<Name extends QueueName> {
  name?: string
  data: Jobs[Name]
  jobId: string | undefined
  delayMs: number
  freesId?: true
}

/** A job with an id, of which only one copy may exist. */
export type NamedJob<Name extends QueueName> = NewJob<Name> & { jobId: string }

/** The job of a DEAD delivery stays among the failed jobs for 30 days. */
export const deadShownSeconds = 2_592_000

/**
 * How the jobs of each queue are run and how long they are kept. `concurrency` is the limit per worker process.
 * Normally only the job of a DEAD delivery fails, because other jobs run again after an error. If another job fails
 * nevertheless, it is removed, so that its id does not block the next job.
 */
export const queueOptions = {
  // A job contains up to 500 intents and orders, and concurrent jobs share their calls to MongoDB. A job waits at most
  // 0.3 s for the slots of its business, because jobs of other businesses are waiting behind it.
  'outbox-relay': { concurrency: 100, keepCompletedSeconds: 0, keepFailedSeconds: 0 },
  // A job only starts its attempt and does not wait for the result.
  'webhook-delivery': { concurrency: 100, keepCompletedSeconds: 0, keepFailedSeconds: deadShownSeconds },
  // A job contains up to 100 intents, which share their calls to MongoDB. In measurements, a higher concurrency delayed
  // webhook deliveries in the same worker.
  'intent-expiry': { concurrency: 2, keepCompletedSeconds: 0, keepFailedSeconds: 0 },
  'wallet-outcome': { concurrency: 50, keepCompletedSeconds: 0, keepFailedSeconds: 0 },
  // The job's id contains a time slot. The completed job must be kept longer than the slot lasts, so that no other
  // process adds the job again.
  maintenance: { concurrency: 2, keepCompletedSeconds: 60, keepFailedSeconds: 0 },
  // A lease ensures that only one process at a time runs the clean-up (src/retention/lease.ts).
  retention: { concurrency: 1, keepCompletedSeconds: 0, keepFailedSeconds: 0 },
} as const satisfies Record<QueueName, object>

export const queueNames = Object.keys(queueOptions) as QueueName[]
