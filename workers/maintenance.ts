import { deadShownSeconds } from '../schemas/jobs.ts'
import { inBatches } from '../src/mongo/in-batches.ts'
import type { Deps } from '../src/platform/deps.ts'
import { nightly } from '../src/retention/record.ts'
import { type Counted, deliveryIdOf, deliveryJob, jobIdOf } from '../src/webhooks/deliveries/delivery.ts'
import { type DeliveryRecord, recordFields } from '../src/webhooks/deliveries/present.ts'
import type { QueueWorker } from './run/queue-worker.ts'

/** How often each worker process requests that lost jobs be restored. */
export const restoreEveryMs = 6_000
/** The least time between two such jobs, whichever processes request them. */
const apartMs = 5_000
/** If Redis has lost nothing, deliveries that died earlier have been checked many times already. */
const diedRecentlyMs = 10 * 60_000

export const maintenance: QueueWorker<'maintenance'> = {
  queue: 'maintenance',
  afterFault: 'complete',
  async run(deps) {
    const restored = await restoreJobs(deps)
    return {
      nextStep: { next: 'complete' },
      event: 'jobs.restored',
      log: { restored },
      isNoise: restored === 0,
    }
  },
}

/** Enqueues a job, unless one exists or has just run. */
export const requestRestore = (deps: Pick<Deps, 'enqueue'>): void =>
  deps.enqueue('maintenance', [{ data: {}, jobId: 'restore', delayMs: 0, apartMs }])

/**
 * Restores the failed jobs of deliveries that died recently, and returns how many were missing. If Redis may have lost
 * data, also restores the nightly schedule, and makes sure that every delivery of the last 30 days that is still DEAD
 * has exactly one failed job.
 */
export async function restoreJobs(deps: Pick<Deps, 'Delivery' | 'now' | 'queues'>): Promise<number> {
  const { standing } = deps.queues
  const now = deps.now().getTime()
  if (await standing.isWhole()) return restoreFailed(deps, new Date(now - diedRecentlyMs))
  let restored = 0
  await keepNightly(deps)
  await standing.makeWhole(async () => {
    for await (const jobIds of standing.failed('webhook-delivery')) await dropOutdated(deps, jobIds)
    restored = await restoreFailed(deps, new Date(now - deadShownSeconds * 1000))
  })
  return restored
}

/** An existing schedule is left unchanged, so that an overdue run isn't lost. */
export const keepNightly = (deps: Pick<Deps, 'queues'>): Promise<void> =>
  deps.queues.keepSchedule('retention', { id: 'nightly', ...nightly })

/**
 * Adds a job for each delivery that became DEAD after `since` and has none. When it runs, the worker fails it, because
 * support staff look for DEAD deliveries among the failed jobs. Returns how many jobs were missing.
 */
async function restoreFailed(deps: Pick<Deps, 'Delivery' | 'now' | 'queues'>, since: Date): Promise<number> {
  const now = deps.now()
  const recent = { deadAt: { $type: 'date', $gte: since }, status: 'DEAD' } as const
  const dead = deps.Delivery.find(recent, recordFields).lean<DeliveryRecord[]>()
  let restored = 0
  await inBatches(dead.cursor({ batchSize: 1000 }), async (deliveries) => {
    const jobs = deliveries.map((each) => deliveryJob({ ...each, lastAttempt: each.attemptLog.at(-1) }, now))
    restored += await deps.queues.standing.addMissing('webhook-delivery', jobs)
  })
  return restored
}

/** Removes failed jobs whose delivery is no longer DEAD, or was re-queued and has died again. */
async function dropOutdated(deps: Pick<Deps, 'Delivery' | 'queues'>, jobIds: string[]): Promise<void> {
  const dead = await deps.Delivery.find(
    { _id: { $in: jobIds.map(deliveryIdOf) }, status: 'DEAD' },
    { attempts: 1, requeues: 1 },
  ).lean<Counted[]>()
  const current = new Set(dead.map(jobIdOf))
  const outdated = jobIds.filter((id) => !current.has(id))
  if (outdated.length > 0) await deps.queues.standing.remove('webhook-delivery', outdated)
}
