import type { Config } from '../config/config.ts'

/**
 * An order remains valid for this much longer than the wallet's timeout. The extra time allows for delays before the
 * order reaches the wallet.
 */
const graceMs = 5000
/** The delay before the first status query to a wallet that has not responded. */
const firstQueryDelayMs = 1000

/**
 * Returns the time after which no wallet may carry out an order that starts at `startedAt`. If a process dies before
 * the wallet responds, a worker queries the wallet at this time.
 */
export const orderDeadline = ({ walletTimeoutMs }: Pick<Config, 'walletTimeoutMs'>, startedAt: Date): Date =>
  new Date(startedAt.getTime() + walletTimeoutMs + graceMs)

/** Returns the time of the first status query to a wallet that had not returned an outcome by `now`. */
export const firstQueryAt = (now: Date): Date => new Date(now.getTime() + firstQueryDelayMs)
