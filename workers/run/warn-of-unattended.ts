import type { Deps } from '../../src/deps.ts'
import { queueNames } from '../../src/queues/jobs.ts'

/**
 * Logs a warning that lists the queues for which no process is running a worker. If WORKER_QUEUES is set for every
 * process, a queue may have been left out by mistake, and its jobs would wait without any error. A process that works
 * on all queues skips this check.
 */
export async function warnOfUnattended(deps: Pick<Deps, 'config' | 'queues' | 'log'>): Promise<void> {
  const others = queueNames.filter((name) => !deps.config.workerQueues.includes(name))
  if (others.length === 0) return
  // `workers` is null if Redis is down or forbids the query.
  const workers = await deps.queues.counts.workers().catch(() => null)
  const queues = others.filter((name) => workers?.get(name) === 0)
  if (queues.length > 0) deps.log.warn({ queues }, 'queue.unattended')
}
