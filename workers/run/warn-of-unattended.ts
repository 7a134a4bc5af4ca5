import type { Deps } from '../../src/deps.ts'
import { queueNames } from '../../src/jobs.ts'

/**
 * Says which queues no process works on: with WORKER_QUEUES set everywhere, one may have been forgotten, and what goes there waits without
 * an error. A process that works on all of them has nothing to ask.
 */
export async function warnOfUnattended(deps: Pick<Deps, 'config' | 'queues' | 'log'>): Promise<void> {
  const others = queueNames.filter((name) => !deps.config.workerQueues.includes(name))
  if (others.length === 0) return
  // Redis is away, or does not let one ask.
  const workers = await deps.queues.counts.workers().catch(() => null)
  const queues = others.filter((name) => workers?.get(name) === 0)
  if (queues.length > 0) deps.log.warn({ queues }, 'queue.unattended')
}
