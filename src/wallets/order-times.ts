import type { Config } from '../config.ts'

/** How long after the wallet's time-out an order is still good: on its way it may be slower than any answer. */
const graceMs = 5000
/** A wallet that did not answer is asked for the first time after this. */
const firstAskMs = 1000

/** Until when an order that begins at `startedAt` may be carried out. Who dies before it is answered leaves the question to then. */
export const orderDeadline = ({ walletTimeoutMs }: Pick<Config, 'walletTimeoutMs'>, startedAt: Date): Date =>
  new Date(startedAt.getTime() + walletTimeoutMs + graceMs)

/** When a wallet is asked that did not tell just now. */
export const firstQueryAt = (now: Date): Date => new Date(now.getTime() + firstAskMs)
