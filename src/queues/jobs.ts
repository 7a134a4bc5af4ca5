/**
 * Every queue, with the data that its jobs carry. A queue, its file in workers/ and its log field have the same name. A
 * job carries ids, never state: losing a job loses nothing, and running a job twice changes nothing.
 */
export interface Jobs {
  /** Intents and orders whose outbox holds an event to relay. */
  'outbox-relay': { intentIds: string[]; orderIds: string[] }
  /** One delivery that is due, or will become due. */
  'webhook-delivery': DeliveryJob
  /** Intents that expire within half a second of each other. */
  'intent-expiry': { referenceNumbers: string[] }
  /**
   * A payment or refund of the intent, with an unknown outcome. The job's id is the key of that payment or refund at
   * the wallet.
   */
  'wallet-outcome': { intentId: string }
  /** Restores the failed jobs of DEAD deliveries: recent ones, or all that Redis may have lost. */
  maintenance: { slot: string; reach: 'lately' | 'all' }
  /** The nightly clean-up. MongoDB stores what is due. */
  retention: Record<string, never>
}

/**
 * The fields of a waiting delivery that support staff see. The job's id contains the delivery's id
 * (webhooks/deliveries/delivery-job.ts), and its name is the event. A great many jobs wait in Redis for a day, so they
 * are kept small: with `reference` instead of `ref`, each would take 64 bytes more.
 */
interface DeliveryJob {
  ref: string
  host: string
  /** The failed attempts, and the number after which the delivery is dead: `3 of 8`. */
  failed?: string
  /** Why the last attempt failed. */
  error?: string
  /** When the next attempt is due. */
  next?: Date
}

export type QueueName = keyof Jobs

/**
 * A job to add. If `jobId` exists already, the add is a no-op. `name`: shown to people; by default the queue's name.
 * `freesId`: the id can be added again as soon as the job has completed, however long its queue keeps completed jobs.
 */
export interface NewJob<Name extends QueueName> {
  name?: string
  data: Jobs[Name]
  jobId: string | undefined
  delayMs: number
  freesId?: true
}

/** A job that must not exist twice. */
export type NamedJob<Name extends QueueName> = NewJob<Name> & { jobId: string }

/** A DEAD delivery stays among the failed jobs for 30 days. */
export const deadShownSeconds = 2_592_000

/**
 * How the jobs of each queue are run and kept. `concurrency` is per worker process. Only the job of a DEAD delivery
 * fails; other jobs run again after an error. If one of them fails nevertheless, it is not kept, so that its id does
 * not block the next job.
 */
export const queueOptions = {
  // A job contains up to 500 intents and orders. Running jobs share calls to MongoDB. A job waits at most 0.3 s for its
  // business's slots, because other businesses' jobs are waiting behind it.
  'outbox-relay': { concurrency: 100, keepCompletedSeconds: 0, keepFailedSeconds: 0 },
  // A job does not wait for its attempt.
  'webhook-delivery': { concurrency: 100, keepCompletedSeconds: 0, keepFailedSeconds: deadShownSeconds },
  // A job contains up to 100 intents, which share calls to MongoDB. In measurements, a higher concurrency delayed the
  // worker's deliveries.
  'intent-expiry': { concurrency: 2, keepCompletedSeconds: 0, keepFailedSeconds: 0 },
  'wallet-outcome': { concurrency: 50, keepCompletedSeconds: 0, keepFailedSeconds: 0 },
  // Its id contains a time slot. The completed job must outlive the slot, so that no other process adds it again.
  maintenance: { concurrency: 2, keepCompletedSeconds: 60, keepFailedSeconds: 0 },
  // A lease allows only one clean-up at a time among all processes (src/retention/lease.ts).
  retention: { concurrency: 1, keepCompletedSeconds: 0, keepFailedSeconds: 0 },
} as const satisfies Record<QueueName, object>

export const queueNames = Object.keys(queueOptions) as QueueName[]
