import { askWallets } from '../src/intents/ask-wallets.ts'
import type { QueueWorker } from './run/queue-worker.ts'

/** Asks a wallet what became of payments and refunds whose outcome nobody knows. */
export const walletOutcome: QueueWorker<'wallet-outcome'> = {
  queue: 'wallet-outcome',
  async run(deps, { intentId }) {
    const { settled, nextAt } = await askWallets(deps, intentId)
    return {
      nextStep: nextAt === null ? { next: 'complete' } : { next: 'later', at: nextAt },
      event: 'wallet.asked',
      log: { intentId, settled, nextAt },
    }
  },
}
