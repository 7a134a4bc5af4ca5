import type { Deps } from '../deps.ts'
import type { Intent } from '../intents/intent.ts'

/**
 * Enqueues a job that wakes the relay for an intent that has an event in its outbox. If the job is lost, a poll finds
 * the event.
 */
export function wakeRelay(deps: Pick<Deps, 'enqueue'>, intent: Pick<Intent, '_id'>): void {
  deps.enqueue('outbox-relay', [{ data: { intentIds: [intent._id], orderIds: [] }, jobId: undefined, delayMs: 0 }])
}
