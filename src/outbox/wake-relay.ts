import type { Jobs } from '../../schemas/jobs.ts'
import type { Deps } from '../platform/deps.ts'

/** Call this after writing an event to the outbox of an intent or order. If the job is lost, a poll finds the event. */
export function wakeRelay(
  deps: Pick<Deps, 'enqueue'>,
  { _id }: { _id: string },
  ids: keyof Jobs['outbox-relay'] = 'intentIds',
): void {
  const data = { intentIds: [], orderIds: [], [ids]: [_id] }
  deps.enqueue('outbox-relay', [{ data, jobId: undefined, delayMs: 0 }])
}
