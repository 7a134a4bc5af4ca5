import type { Deps } from '../deps.ts'
import type { Intent } from './intent.ts'

/** The job that asks about one payment or refund. The wallet's key as id: a second add is a no-op. */
export const walletOutcomeJob = (intentId: string, key: string, at: Date, now: Date) => ({
  data: { intentId },
  jobId: key,
  delayMs: Math.max(0, at.getTime() - now.getTime()),
})

/** Wakes a worker that asks the wallet. If it is lost, a poll asks. */
export const enqueueWalletOutcome = (
  deps: Pick<Deps, 'enqueue' | 'now'>,
  intent: Pick<Intent, '_id'>,
  key: string,
  at: Date,
): void => deps.enqueue('wallet-outcome', [walletOutcomeJob(intent._id, key, at, deps.now())])
