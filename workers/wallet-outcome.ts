import { queryWallet } from '../src/intents/query-wallets.ts'
import type { QueueWorker } from './run/queue-worker.ts'

/**
 * Queries a wallet for the unknown outcome of a payment or refund. The job's id is the key that identifies the payment
 * or refund at the wallet.
 */
export const walletOutcome: QueueWorker<'wallet-outcome'> = {
  queue: 'wallet-outcome',
  async run(deps, { intentId }, { jobId }) {
    const { outcome, why, nextAt } = await queryWallet(deps, intentId, jobId)
    return {
      nextStep: nextAt === null ? { next: 'complete' } : { next: 'later', at: nextAt },
      event: 'wallet.queried',
      isWarning: outcome === 'unknown',
      log: { intentId, outcome, why, nextAt },
    }
  },
}
