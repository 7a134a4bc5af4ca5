import type { Config } from '../config/config.ts'
import { isDatabaseFault } from '../mongo/connect.ts'
import type { Deps } from '../platform/deps.ts'
import { isUnavailable } from '../platform/errors.ts'
import { withTimeout } from '../platform/timeout.ts'
import type { WalletName, WalletOutcome } from './wallet.ts'

/**
 * An order remains valid for this much longer than the wallet's timeout. The extra time allows for delays before the
 * order reaches the wallet.
 */
const deliveryGraceMs = 5000
/** The delay before the first status query to a wallet that has not responded. */
const firstQueryDelayMs = 1000

/**
 * Returns the time after which no wallet may carry out an order that starts at `startedAt`. If a process dies before
 * the wallet responds, a worker queries the wallet at this time.
 */
export const orderDeadline = ({ walletTimeoutMs }: Pick<Config, 'walletTimeoutMs'>, startedAt: Date): Date =>
  new Date(startedAt.getTime() + walletTimeoutMs + deliveryGraceMs)

/** Returns the time of the first status query to a wallet that had not returned an outcome by `now`. */
export const firstQueryAt = (now: Date): Date => new Date(now.getTime() + firstQueryDelayMs)

/**
 * The time limit in `outcomeOf` is this much longer than the wallet's own timeout, so that the wallet itself can report
 * its timeout.
 */
const reportGraceMs = 1000

/**
 * Calls a wallet and returns the outcome within a time limit. If the call throws or takes too long, the outcome is
 * unknown. Any error other than a MongoDB fault is a bug, so it is logged in full, even after the time limit.
 */
export async function outcomeOf(
  deps: Pick<Deps, 'config' | 'log' | 'metrics'>,
  wallet: WalletName,
  call: () => Promise<WalletOutcome>,
): Promise<WalletOutcome> {
  const startedAt = performance.now()
  const limitMs = deps.config.walletTimeoutMs + reportGraceMs
  const onTimeout = (): WalletOutcome => ({ outcome: 'unknown', why: 'no response in time' })
  const result = await withTimeout(resultOf(deps, wallet, call), limitMs, onTimeout)
  const labels = { wallet: kindOf(wallet), outcome: result.outcome }
  deps.metrics.walletCalls.observe(labels, (performance.now() - startedAt) / 1000)
  return result
}

/** Returns the kind of a wallet: its name without the name of the provider. */
const kindOf = (wallet: WalletName): string => wallet.split(':', 1)[0] as string

async function resultOf(
  deps: Pick<Deps, 'log'>,
  wallet: WalletName,
  call: () => Promise<WalletOutcome>,
): Promise<WalletOutcome> {
  try {
    return await call()
  } catch (err) {
    if (isDatabaseFault(err) || isUnavailable(err)) return { outcome: 'unknown', why: (err as Error).name }
    deps.log.error({ err, wallet }, 'wallet.exception')
    return { outcome: 'unknown', why: 'exception' }
  }
}
