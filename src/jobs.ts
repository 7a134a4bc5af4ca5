/**
 * Every queue: its name, what a job of it carries and how it is kept. One name = queue = file in workers/ = log field.
 * A job carries ids, never state: losing one loses nothing, running one twice changes nothing.
 */
export interface Jobs {
  /** Intents whose outbox holds an event to hand on. */
  'outbox-relay': { intentIds: string[] }
  /** One delivery that is due. */
  'webhook-delivery': DeliveryWords
  /** The same, to a receiver that is slow or always fails: it must not keep the others waiting. */
  'webhook-delivery-slow': DeliveryWords
  /** One intent whose time is up. */
  'intent-expiry': { referenceNumber: string }
  /** Re-creates the nudges that MongoDB says are due: those of late, those that are long overdue, or all that Redis may have lost. */
  maintenance: { slot: string; reach: 'lately' | 'overdue' | 'all' }
}

/** Event, reference and host are words for people. */
interface DeliveryWords {
  deliveryId: string
  event: string
  reference: string
  host: string
}

export type QueueName = keyof Jobs

export const queueNames = [
  'outbox-relay',
  'webhook-delivery',
  'webhook-delivery-slow',
  'intent-expiry',
  'maintenance',
] as const

/** The two lanes of deliveries. A delivery has a job in at most one of them. */
export const deliveryLanes = [
  'webhook-delivery',
  'webhook-delivery-slow',
] as const satisfies readonly QueueName[]

export type DeliveryLane = (typeof deliveryLanes)[number]

/**
 * One job to add: what it carries, its id (an id that exists already makes the add a no-op), its delay. Among jobs that may run, a
 * lower priority runs first, and one without, or with 0, before all others; at most 2 097 151.
 */
export interface NewJob<Name extends QueueName> {
  data: Jobs[Name]
  jobId: string | undefined
  delayMs: number
  priority?: number
}

/** A job that must not be there twice. */
export type NamedJob<Name extends QueueName> = NewJob<Name> & { jobId: string }

/** A DEAD delivery stands among the failed jobs for 30 days. */
export const deadShownSeconds = 2_592_000

/** How the jobs of each queue are run and kept. `concurrency` is per worker process. */
export const queueOptions = {
  // A job is one intent or a batch of up to 500; those under way share their trips to MongoDB.
  'outbox-relay': { concurrency: 50, attempts: 5, keepCompletedSeconds: 0, keepFailedSeconds: 86_400 },
  // 200 in flight is where group commit pays (measured: 3.6-4.3k/s at 200, 2.9k/s at 50). MongoDB counts to 8;
  // BullMQ's own attempts are only a ceiling far above it.
  'webhook-delivery': {
    concurrency: 200,
    attempts: 1000,
    keepCompletedSeconds: 0,
    keepFailedSeconds: deadShownSeconds,
  },
  // 40 receivers that answer after 30 s, 5 at a time each.
  'webhook-delivery-slow': {
    concurrency: 200,
    attempts: 1000,
    keepCompletedSeconds: 0,
    keepFailedSeconds: deadShownSeconds,
  },
  'intent-expiry': { concurrency: 50, attempts: 5, keepCompletedSeconds: 0, keepFailedSeconds: 86_400 },
  // Its id names a slot of time, so it must outlive the slot to keep other processes from adding it again. Four at once: what is long
  // overdue may be very much, and must not keep anybody from what is new.
  maintenance: { concurrency: 4, attempts: 1, keepCompletedSeconds: 60, keepFailedSeconds: 3_600 },
} as const satisfies Record<QueueName, object>
