import { expireIntents } from '../src/intents/expire.ts'
import type { QueueWorker } from './run/queue-worker.ts'

export const intentExpiry: QueueWorker<'intent-expiry'> = {
  queue: 'intent-expiry',
  async run(deps, { referenceNumbers }) {
    const { expired, dueAt } = await expireIntents(deps, referenceNumbers)
    const [only] = referenceNumbers
    return {
      nextStep: dueAt === null ? { next: 'complete' } : { next: 'later', at: dueAt },
      event: 'intent.expiry',
      log: {
        intents: referenceNumbers.length,
        expired,
        dueAt,
        referenceNumber: referenceNumbers.length === 1 ? only : null,
      },
    }
  },
}
