import { askWallet } from '../src/intents/ask-wallets.ts'
import type { QueueWorker } from './run/queue-worker.ts'

/** Asks a wallet what became of a payment or refund whose outcome nobody knows. The job's id is the wallet's key. */
export const walletOutcome: QueueWorker<'wallet-outcome'> = {
  queue: 'wallet-outcome',
  async run(deps, { intentId }, { jobId }) {
    const { outcome, why, nextAt } = await askWallet(deps, intentId, jobId)
    return {
      nextStep: nextAt === null ? { next: 'complete' } : { next: 'later', at: nextAt },
      event: 'wallet.asked',
      isWarning: outcome === 'unknown',
      log: { intentId, outcome, why, nextAt },
    }
  },
}
