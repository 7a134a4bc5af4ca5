import { queryWallet } from '../src/intents/query-wallets.ts'
import type { QueueWorker } from './run/run-job.ts'

/** The job's id is the order's idempotency key. */
export const walletOutcomeWorker: QueueWorker<'wallet-outcome'> = {
  async run(deps, { intentId }, { jobId }) {
    const { intent, outcome, why, nextAt } = await queryWallet(deps, intentId, jobId)
    return {
      againAt: nextAt,
      event: 'wallet.queried',
      isWarning: outcome === 'unknown',
      log: { intentId, ...intent, key: jobId, outcome, why, nextAt },
    }
  },
}
