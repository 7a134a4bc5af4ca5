/**
 * Every queue: its name, what a job of it carries and how it is kept. One name = queue = file in workers/ = log field.
 * A job carries ids, never state: losing one loses nothing, running one twice changes nothing.
 */
export interface Jobs {
  /** Intents and orders whose outbox holds an event to relay. */
  'outbox-relay': { intentIds: string[]; orderIds: string[] }
  /** One delivery that is due, or will be. */
  'webhook-delivery': DeliveryWords
  /** Intents whose time is up at the same moment. */
  'intent-expiry': { referenceNumbers: string[] }
  /** One payment or refund of an intent, of which nobody knows what became of it at the wallet; the job's id is its key there. */
  'wallet-outcome': { intentId: string }
  /** Restores the failed jobs of DEAD deliveries: those of late, or all that Redis may have lost. */
  maintenance: { slot: string; reach: 'lately' | 'all' }
  /** The clean-up of the night: what there is to do stands in MongoDB. */
  retention: Record<string, never>
}

/**
 * What support staff see of a delivery that waits. The job's id tells which delivery (webhooks/deliveries/delivery-job.ts), its name tells the
 * event. Very many jobs wait in Redis for a day, so nothing is in them twice: with `reference` spelt out each takes 64 bytes more.
 */
interface DeliveryWords {
  ref: string
  host: string
  /** How many attempts failed, of how many: `3 of 8`. */
  failed?: string
  /** Why the last attempt failed. */
  error?: string
  /** When the next attempt is due. */
  next?: Date
}

export type QueueName = keyof Jobs

export const queueNames = [
  'outbox-relay',
  'webhook-delivery',
  'intent-expiry',
  'wallet-outcome',
  'maintenance',
  'retention',
] as const

/**
 * One job to add: what it carries, its id (an id that exists already makes the add a no-op), its delay. `name`: how people see it; its
 * queue's where there is none. `freesId`: its id may be added again as soon as it has completed, however long its queue keeps others.
 */
export interface NewJob<Name extends QueueName> {
  name?: string
  data: Jobs[Name]
  jobId: string | undefined
  delayMs: number
  freesId?: true
}

/** A job that must not be there twice. */
export type NamedJob<Name extends QueueName> = NewJob<Name> & { jobId: string }

/** A DEAD delivery stands among the failed jobs for 30 days. */
export const deadShownSeconds = 2_592_000

/**
 * How the jobs of each queue are run and kept. `concurrency` is per worker process. Only a DEAD delivery's job ends in *failed*: what
 * else goes wrong comes again, and if one ever did end there, its id must not keep the next one out.
 */
export const queueOptions = {
  // A job is one intent or order, or a batch of up to 500; those under way share their trips to MongoDB.
  'outbox-relay': { concurrency: 50, keepCompletedSeconds: 0, keepFailedSeconds: 0 },
  // A job ends as soon as its delivery has a slot.
  'webhook-delivery': { concurrency: 100, keepCompletedSeconds: 0, keepFailedSeconds: deadShownSeconds },
  // A job has up to 100 intents, which share their trips. More at once made the worker's deliveries come later (measured).
  'intent-expiry': { concurrency: 2, keepCompletedSeconds: 0, keepFailedSeconds: 0 },
  'wallet-outcome': { concurrency: 50, keepCompletedSeconds: 0, keepFailedSeconds: 0 },
  // Its id names a slot of time, so it must outlive the slot to keep other processes from adding it again.
  maintenance: { concurrency: 2, keepCompletedSeconds: 60, keepFailedSeconds: 0 },
  // One clean-up at a time, everywhere (src/retention/lease.ts).
  retention: { concurrency: 1, keepCompletedSeconds: 0, keepFailedSeconds: 0 },
} as const satisfies Record<QueueName, object>
