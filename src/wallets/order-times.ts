import type { Config } from '../config.ts'

/** An order may travel for longer than the wallet's timeout, so it stays valid for this much longer. */
const graceMs = 5000
/** The delay before the first status query to a wallet that did not respond. */
const firstQueryDelayMs = 1000

/**
 * The instant after which no wallet may carry out an order that starts at `startedAt`. If a process dies before the
 * wallet responds, a worker queries the wallet at this instant.
 */
export const orderDeadline = ({ walletTimeoutMs }: Pick<Config, 'walletTimeoutMs'>, startedAt: Date): Date =>
  new Date(startedAt.getTime() + walletTimeoutMs + graceMs)

/** The instant of the first status query to a wallet that returned no outcome at `now`. */
export const firstQueryAt = (now: Date): Date => new Date(now.getTime() + firstQueryDelayMs)
