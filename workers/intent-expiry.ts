import { expireIntent } from '../src/intents/expire.ts'
import type { QueueWorker } from './run/queue-worker.ts'

/** Expires an intent when its time is up. */
export const intentExpiry: QueueWorker<'intent-expiry'> = {
  queue: 'intent-expiry',
  async run(deps, { referenceNumber }) {
    const outcome = await expireIntent(deps, referenceNumber)
    const dueAt = outcome.expired ? null : outcome.dueAt
    return {
      nextStep: dueAt === null ? { next: 'complete' } : { next: 'later', at: dueAt },
      event: 'intent.expiry',
      log: { referenceNumber, expired: outcome.expired, dueAt },
    }
  },
}
