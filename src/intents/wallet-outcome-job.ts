import type { Deps } from '../deps.ts'
import type { Intent } from './intent.ts'

/**
 * The job that queries the outcome of one payment or refund. Its id is the order's key at the wallet, so adding it
 * twice creates only one job.
 */
export const walletOutcomeJob = (intentId: string, key: string, at: Date, now: Date) => ({
  data: { intentId },
  jobId: key,
  delayMs: Math.max(0, at.getTime() - now.getTime()),
})

/** Enqueues a query of the wallet for `at`. If the job is lost, the poll of due wallet queries finds the order. */
export const enqueueWalletOutcome = (
  deps: Pick<Deps, 'enqueue' | 'now'>,
  intent: Pick<Intent, '_id'>,
  key: string,
  at: Date,
): void => deps.enqueue('wallet-outcome', [walletOutcomeJob(intent._id, key, at, deps.now())])
