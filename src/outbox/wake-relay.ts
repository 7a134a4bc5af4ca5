import type { Jobs } from '../../schemas/jobs.ts'
import type { Deps } from '../platform/deps.ts'

/**
 * Enqueues a job that wakes the relay for an intent, or an order, that has an event in its outbox. If the job is lost,
 * a poll finds the event.
 */
export function wakeRelay(
  deps: Pick<Deps, 'enqueue'>,
  { _id }: { _id: string },
  ids: keyof Jobs['outbox-relay'] = 'intentIds',
): void {
  const data = { intentIds: [], orderIds: [], [ids]: [_id] }
  deps.enqueue('outbox-relay', [{ data, jobId: undefined, delayMs: 0 }])
}
