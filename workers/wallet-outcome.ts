import { queryWallet } from '../src/intents/query-wallets.ts'
import type { QueueWorker } from './run/queue-worker.ts'

/**
 * Queries payments and refunds whose outcome is unknown. The job's id is the key by which the wallet identifies them.
 */
export const walletOutcome: QueueWorker<'wallet-outcome'> = {
  queue: 'wallet-outcome',
  async run(deps, { intentId }, { jobId }) {
    const { intent, outcome, why, nextAt } = await queryWallet(deps, intentId, jobId)
    return {
      nextStep: nextAt === null ? { next: 'complete' } : { next: 'later', at: nextAt },
      event: 'wallet.queried',
      isWarning: outcome === 'unknown',
      log: { intentId, ...intent, key: jobId, outcome, why, nextAt },
    }
  },
}
