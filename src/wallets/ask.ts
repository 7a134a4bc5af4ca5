import type { WalletOutcome } from './wallet.ts'

/** Beyond the wallet's own time-outs, so that its own word comes first. */
const graceMs = 1000

/** The outcome of a call to a wallet, in bounded time. Whatever goes wrong with the call: the outcome is unknown. */
export async function outcomeOf(
  call: () => Promise<WalletOutcome>,
  timeoutMs: number,
): Promise<WalletOutcome> {
  let timer: NodeJS.Timeout | undefined
  const tooLate = new Promise<WalletOutcome>((resolve) => {
    timer = setTimeout(resolve, timeoutMs + graceMs, { outcome: 'unknown', why: 'no answer in time' })
  })
  try {
    return await Promise.race([call(), tooLate])
  } catch (error) {
    return { outcome: 'unknown', why: (error as Error).name }
  } finally {
    clearTimeout(timer)
  }
}
