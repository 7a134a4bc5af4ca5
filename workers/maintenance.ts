import { deadJobSeconds } from '../schemas/jobs.ts'
import { runInBatches } from '../src/mongo/in-batches.ts'
import type { Deps } from '../src/platform/deps.ts'
import { nightlySchedule } from '../src/retention/record.ts'
import {
  type AttemptCounts,
  deliveryIdOf,
  jobIdOf,
  newDeliveryJob,
} from '../src/webhooks/deliveries/delivery.ts'
import { type DeliveryRecord, deliveryRowFields } from '../src/webhooks/deliveries/present.ts'
import type { QueueWorker } from './run/run-job.ts'

export const restoreEveryMs = 6_000
const apartMs = 5_000
/** By then, every process has stored the deaths of this time. */
export const settledMs = 30_000

export const maintenanceWorker: QueueWorker<'maintenance'> = {
  afterFault: 'complete',
  async run(deps) {
    const restored = await restoreJobs(deps)
    return { event: 'jobs.restored', log: { restored }, isNoise: restored === 0 }
  },
}

/** If such a job exists or has just run, Redis ignores the new one. */
export const requestJobRestore = (deps: Pick<Deps, 'enqueue'>): void =>
  deps.enqueue('maintenance', [{ data: {}, jobId: 'restore', apartMs }])

/**
 * Looks once at each delivery that died and, after a loss of Redis data, at all
 * of the last 30 days. Returns how many failed jobs were missing.
 */
export async function restoreJobs(deps: Pick<Deps, 'Delivery' | 'now' | 'queues'>): Promise<number> {
  const { storedJobs } = deps.queues
  const now = deps.now().getTime()
  const settled = new Date(now - settledMs)
  let restored = 0
  await storedJobs.keepComplete(settled, async (since) => {
    if (since !== null) {
      restored = await restoreFailed(deps, { $gt: since, $lte: settled })
      return
    }
    await keepNightlyJob(deps)
    for await (const jobIds of storedJobs.failed('webhook-delivery')) await dropOutdated(deps, jobIds)
    restored = await restoreFailed(deps, { $gte: new Date(now - deadJobSeconds * 1000) })
  })
  return restored
}

export const keepNightlyJob = (deps: Pick<Deps, 'queues'>): Promise<void> =>
  deps.queues.keepSchedule('retention', { id: 'nightly', ...nightlySchedule })

/** Support staff look for DEAD deliveries among the failed jobs. */
async function restoreFailed(deps: Pick<Deps, 'Delivery' | 'now' | 'queues'>, died: object): Promise<number> {
  const now = deps.now()
  const recent = { deadAt: { $type: 'date', ...died }, status: 'DEAD' } as const
  const dead = deps.Delivery.find(recent, deliveryRowFields).lean<DeliveryRecord[]>()
  let restored = 0
  await runInBatches(dead.cursor({ batchSize: 1000 }), async (deliveries) => {
    const jobs = deliveries.map((each) =>
      newDeliveryJob({ ...each, lastAttempt: each.attemptLog.at(-1) }, now),
    )
    restored += await deps.queues.storedJobs.addMissing('webhook-delivery', jobs)
  })
  return restored
}

/** Drops failed jobs whose delivery isn't DEAD or has died again. */
async function dropOutdated(deps: Pick<Deps, 'Delivery' | 'queues'>, jobIds: string[]): Promise<void> {
  const dead = await deps.Delivery.find(
    { _id: { $in: jobIds.map(deliveryIdOf) }, status: 'DEAD' },
    { attempts: 1, requeues: 1 },
  ).lean<AttemptCounts[]>()
  const current = new Set(dead.map(jobIdOf))
  const outdated = jobIds.filter((id) => !current.has(id))
  if (outdated.length > 0) await deps.queues.storedJobs.remove('webhook-delivery', outdated)
}
