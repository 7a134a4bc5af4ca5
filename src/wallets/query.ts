import type { Config } from '../config/config.ts'
import { isDatabaseFault } from '../mongo/connect.ts'
import type { Deps } from '../platform/deps.ts'
import { isUnavailable } from '../platform/errors.ts'
import { withTimeout } from '../platform/timeout.ts'
import type { WalletName, WalletOutcome } from './wallet.ts'

/** Added to the wallet's timeout, because an order can be delayed on its way. */
const deliveryGraceMs = 5000
const firstQueryDelayMs = 1000

/**
 * No wallet may carry out an order after this. If the process dies before the wallet responds, a worker queries then.
 */
export const orderDeadline = ({ walletTimeoutMs }: Pick<Config, 'walletTimeoutMs'>, startedAt: Date): Date =>
  new Date(startedAt.getTime() + walletTimeoutMs + deliveryGraceMs)

export const firstQueryAt = (now: Date): Date => new Date(now.getTime() + firstQueryDelayMs)

/** Added to the wallet's own timeout, so that the wallet itself gets to report it. */
const reportGraceMs = 1000

/**
 * Calls a wallet within a time limit. If that throws or takes too long, the outcome is unknown. Any error but a MongoDB
 * fault is a bug, and logged in full even after the time limit.
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
