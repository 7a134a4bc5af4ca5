import type { Deps } from '../deps.ts'
import { isDatabaseFault } from '../mongo.ts'
import type { WalletName, WalletOutcome } from './wallet.ts'

/** Beyond the wallet's own time-outs, so that its own word comes first. */
const graceMs = 1000

/**
 * The outcome of a call to a wallet, in bounded time. Whatever goes wrong with the call: the outcome is unknown. What a wallet throws
 * and is no fault of MongoDB is a bug, logged whole, also when it comes after its time.
 */
export async function outcomeOf(
  deps: Pick<Deps, 'config' | 'log' | 'metrics'>,
  wallet: WalletName,
  call: () => Promise<WalletOutcome>,
): Promise<WalletOutcome> {
  const startedAt = performance.now()
  const answer = await answerInTime(deps, wallet, call)
  const labels = { wallet: kindOf(wallet), outcome: answer.outcome }
  deps.metrics.walletCalls.observe(labels, (performance.now() - startedAt) / 1000)
  return answer
}

/** Live mode's provider under whatever name it goes. */
const kindOf = (wallet: WalletName): string => wallet.split(':', 1)[0] as string

async function answerInTime(
  deps: Pick<Deps, 'config' | 'log'>,
  wallet: WalletName,
  call: () => Promise<WalletOutcome>,
): Promise<WalletOutcome> {
  let timer: NodeJS.Timeout | undefined
  const tooLate = new Promise<WalletOutcome>((resolve) => {
    const unknown = { outcome: 'unknown', why: 'no answer in time' } as const
    timer = setTimeout(resolve, deps.config.walletTimeoutMs + graceMs, unknown)
  })
  try {
    return await Promise.race([answerOf(deps, wallet, call), tooLate])
  } finally {
    clearTimeout(timer)
  }
}

async function answerOf(
  deps: Pick<Deps, 'log'>,
  wallet: WalletName,
  call: () => Promise<WalletOutcome>,
): Promise<WalletOutcome> {
  try {
    return await call()
  } catch (err) {
    if (isDatabaseFault(err)) return { outcome: 'unknown', why: (err as Error).name }
    deps.log.error({ err, wallet }, 'wallet.broke')
    return { outcome: 'unknown', why: 'broke' }
  }
}
