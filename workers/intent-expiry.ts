import { expireIntents } from '../src/intents/expire.ts'
import type { QueueWorker } from './run/run-job.ts'

export const intentExpiryWorker: QueueWorker<'intent-expiry'> = {
  async run(deps, { referenceNumbers }) {
    const { expired, dueAt } = await expireIntents(deps, referenceNumbers)
    const [only] = referenceNumbers
    const intents = referenceNumbers.length
    return {
      againAt: dueAt,
      event: 'intent.expiry',
      log: { intents, expired, dueAt, referenceNumber: intents === 1 ? only : null },
    }
  },
}
