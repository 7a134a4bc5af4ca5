import { deadShownSeconds } from '../schemas/jobs.ts'
import { inBatches } from '../src/mongo/in-batches.ts'
import type { Deps } from '../src/platform/deps.ts'
import { nightly } from '../src/retention/record.ts'
import { type Counted, deliveryIdOf, deliveryJob, jobIdOf } from '../src/webhooks/deliveries/delivery-job.ts'
import { type DeliveryRecord, recordFields } from '../src/webhooks/deliveries/present.ts'
import type { QueueWorker } from './run/queue-worker.ts'

/** Per worker process. */
export const restoreEveryMs = 6_000
/** Between two restoring jobs, whichever processes enqueue them. */
const apartMs = 5_000
/** If Redis lost nothing, older deaths have been checked many times. */
const diedLatelyMs = 10 * 60_000

export const maintenance: QueueWorker<'maintenance'> = {
  queue: 'maintenance',
  afterFault: 'complete',
  async run(deps) {
    const restored = await restoreJobs(deps)
    return { nextStep: { next: 'complete' }, event: 'jobs.restored', log: { restored }, isNoise: restored === 0 }
  },
}

/** Unless such a job exists or has just run. */
export const requestRestore = (deps: Pick<Deps, 'enqueue'>): void =>
  deps.enqueue('maintenance', [{ data: {}, jobId: 'restore', delayMs: 0, apartMs }])

/**
 * Restores failed jobs of recently dead deliveries; returns how many were missing. If Redis may have lost data, also
 * the nightly schedule, and exactly one failed job for every delivery still DEAD of the last 30 days.
 */
export async function restoreJobs(deps: Pick<Deps, 'Delivery' | 'now' | 'queues'>): Promise<number> {
  const { standing } = deps.queues
  const now = deps.now().getTime()
  if (await standing.isWhole()) return restoreFailed(deps, new Date(now - diedLatelyMs))
  let restored = 0
  await keepNightly(deps)
  await standing.makeWhole(async () => {
    for await (const jobIds of standing.failed('webhook-delivery')) await dropOutdated(deps, jobIds)
    restored = await restoreFailed(deps, new Date(now - deadShownSeconds * 1000))
  })
  return restored
}

/** Keeps an existing schedule, so that an overdue run isn't lost. */
export const keepNightly = (deps: Pick<Deps, 'queues'>): Promise<void> =>
  deps.queues.keepSchedule('retention', { id: 'nightly', ...nightly })

/**
 * One job per DEAD delivery without one; returns how many were missing. The worker then fails the job, because support
 * staff look for DEAD deliveries among the failed jobs.
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

/** Failed jobs whose delivery isn't DEAD any more, or died again after a re-queue. */
async function dropOutdated(deps: Pick<Deps, 'Delivery' | 'queues'>, jobIds: string[]): Promise<void> {
  const dead = await deps.Delivery.find(
    { _id: { $in: jobIds.map(deliveryIdOf) }, status: 'DEAD' },
    { attempts: 1, requeues: 1 },
  ).lean<Counted[]>()
  const current = new Set(dead.map(jobIdOf))
  const outdated = jobIds.filter((id) => !current.has(id))
  if (outdated.length > 0) await deps.queues.standing.remove('webhook-delivery', outdated)
}
