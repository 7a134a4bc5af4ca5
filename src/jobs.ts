/**
 * Every queue: its name, what a job of it carries and how it is kept. One name = queue = file in workers/ = log field.
 * A job carries ids, never state: losing one loses nothing, running one twice changes nothing.
 */
export interface Jobs {
  /** Intents and orders whose outbox holds an event to relay. */
  'outbox-relay': { intentIds: string[]; orderIds: string[] }
  /** One delivery that is due. */
  'webhook-delivery': DeliveryWords
  /** The same, to a receiver that is slow or always fails: it must not keep the others waiting. */
  'webhook-delivery-slow': DeliveryWords
  /** One intent whose time is up. */
  'intent-expiry': { referenceNumber: string }
  /** One payment or refund of an intent, of which nobody knows what became of it at the wallet; the job's id is its key there. */
  'wallet-outcome': { intentId: string }
  /** Re-creates the nudges that MongoDB says are due: those of late, those that are long overdue, or all that Redis may have lost. */
  maintenance: { slot: string; reach: 'lately' | 'overdue' | 'all' }
  /** The clean-up of the night: what there is to do stands in MongoDB. */
  retention: Record<string, never>
}

/**
 * The job's id tells which delivery (webhooks/deliveries/delivery-job.ts), its name tells the event; the payment's reference and the host are words
 * for people. Very many jobs wait in Redis for a day: nothing is in them twice, and with `reference` spelt out each takes 64 bytes more.
 */
interface DeliveryWords {
  ref: string
  host: string
  /** Its receiver had no room for it since its last attempt. */
  putOff?: true
}

export type QueueName = keyof Jobs

export const queueNames = [
  'outbox-relay',
  'webhook-delivery',
  'webhook-delivery-slow',
  'intent-expiry',
  'wallet-outcome',
  'maintenance',
  'retention',
] as const

/** The two lanes of deliveries. A delivery has a job in at most one of them. */
export const deliveryLanes = [
  'webhook-delivery',
  'webhook-delivery-slow',
] as const satisfies readonly QueueName[]

export type DeliveryLane = (typeof deliveryLanes)[number]

/**
 * One job to add: what it carries, its id (an id that exists already makes the add a no-op), its delay. Among jobs that may run, a
 * lower priority runs first, and one without, or with 0, before all others; at most 2 097 151. `name`: how people see it; its
 * queue's where there is none. `freesId`: its id may be added again as soon as it has completed, however long its queue keeps others.
 */
export interface NewJob<Name extends QueueName> {
  name?: string
  data: Jobs[Name]
  jobId: string | undefined
  delayMs: number
  priority?: number
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
  // 200 in flight is where group commit pays (measured: 3.6-4.3k/s at 200, 2.9k/s at 50).
  'webhook-delivery': { concurrency: 200, keepCompletedSeconds: 0, keepFailedSeconds: deadShownSeconds },
  // 40 receivers that answer after 30 s, 5 at a time each.
  'webhook-delivery-slow': { concurrency: 200, keepCompletedSeconds: 0, keepFailedSeconds: deadShownSeconds },
  // Those that are up in the same moment share their trips: one takes MongoDB 0.62 ms at 50, 0.55 at 100, 0.53 at 200 (measured), and beyond
  // 100 the worker's deliveries came later.
  'intent-expiry': { concurrency: 100, keepCompletedSeconds: 0, keepFailedSeconds: 0 },
  'wallet-outcome': { concurrency: 50, keepCompletedSeconds: 0, keepFailedSeconds: 0 },
  // Its id names a slot of time, so it must outlive the slot to keep other processes from adding it again. Four at once: what is long
  // overdue may be very much, and must not keep anybody from what is new.
  maintenance: { concurrency: 4, keepCompletedSeconds: 60, keepFailedSeconds: 0 },
  // One clean-up at a time, everywhere (src/retention/lease.ts).
  retention: { concurrency: 1, keepCompletedSeconds: 0, keepFailedSeconds: 0 },
} as const satisfies Record<QueueName, object>
