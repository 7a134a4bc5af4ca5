/**
 * Every queue: its name, what a job of it carries and how it is kept. One name = queue = file in workers/ = log field.
 * A job carries ids, never state: losing one loses nothing, running one twice changes nothing.
 */
export interface Jobs {
  /** Intents whose outbox holds an event to hand on. */
  'outbox-relay': { intentIds: string[] }
  /** One delivery that is due; event, reference and host are words for people. */
  'webhook-delivery': { deliveryId: string; event: string; reference: string; host: string }
  /** One intent whose time is up. */
  'intent-expiry': { referenceNumber: string }
  /** Re-creates every nudge that MongoDB says is due. */
  maintenance: { slot: string }
}

export type QueueName = keyof Jobs

export const queueNames = ['outbox-relay', 'webhook-delivery', 'intent-expiry', 'maintenance'] as const

/** One job to add: what it carries, its id (an id that exists already makes the add a no-op), its delay. */
export interface NewJob<Name extends QueueName> {
  data: Jobs[Name]
  jobId: string | undefined
  delayMs: number
}

/** How the jobs of each queue are run and kept. `concurrency` is per worker process. */
export const queueOptions = {
  // A job is a batch of up to 500 intents; two at once keep MongoDB busy while the other waits.
  'outbox-relay': { concurrency: 2, attempts: 5, keepCompletedSeconds: 0, keepFailedSeconds: 86_400 },
  // 200 in flight is where group commit pays (measured: 3.6-4.3k/s at 200, 2.9k/s at 50). MongoDB counts to 8;
  // BullMQ's own attempts are only a ceiling far above it. A failed job is a DEAD delivery, kept for 30 days.
  'webhook-delivery': {
    concurrency: 200,
    attempts: 1000,
    keepCompletedSeconds: 0,
    keepFailedSeconds: 2_592_000,
  },
  'intent-expiry': { concurrency: 50, attempts: 5, keepCompletedSeconds: 0, keepFailedSeconds: 86_400 },
  // Its id names a slot of time, so it must outlive the slot to keep other processes from adding it again.
  maintenance: { concurrency: 1, attempts: 1, keepCompletedSeconds: 60, keepFailedSeconds: 3_600 },
} as const satisfies Record<QueueName, object>
