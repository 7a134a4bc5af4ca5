import type { Deps } from '../deps.ts'
import type { Intent } from './intent.ts'

/**
 * Returns the job that queries the wallet for the outcome of one payment or refund. The job's id is the key of the
 * payment or refund at the wallet, so adding the job twice creates only one job.
 */
export const walletOutcomeJob = (intentId: string, key: string, at: Date, now: Date) => ({
  data: { intentId },
  jobId: key,
  delayMs: Math.max(0, at.getTime() - now.getTime()),
})

/**
 * Enqueues a wallet query for the time `at`. If the job is lost, the poll for due wallet queries finds the payment or
 * refund.
 */
export const enqueueWalletOutcome = (
  deps: Pick<Deps, 'enqueue' | 'now'>,
  intent: Pick<Intent, '_id'>,
  key: string,
  at: Date,
): void => deps.enqueue('wallet-outcome', [walletOutcomeJob(intent._id, key, at, deps.now())])
