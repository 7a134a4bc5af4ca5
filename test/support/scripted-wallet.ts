import type { Deps } from '../../src/deps.ts'
import type { StatusQuery, Wallet, WalletOutcome } from '../../src/wallets/wallet.ts'
import { openWallets } from '../../src/wallets/wallets.ts'

/** A wallet that returns what a test sets, and records its calls. */
export interface ScriptedWallet extends Wallet {
  /** The keys of the orders it received. */
  orders: string[]
  queries: StatusQuery[]
  /** Sets the outcome of payments and refunds. */
  setOutcome(answer: () => WalletOutcome | Promise<WalletOutcome>): void
  setStatus(outcome: WalletOutcome): void
  /** Makes every question throw this error. */
  setStatusError(error: Error): void
}

/** Replaces the sandbox wallet of these processes. At first every outcome is unknown. */
export function scriptedWallet(...services: { deps: Deps }[]): ScriptedWallet {
  let answer: () => WalletOutcome | Promise<WalletOutcome> = () => ({ outcome: 'unknown', why: 'it hung up' })
  let fault: Error | null = null
  let known: WalletOutcome = { outcome: 'unknown', why: 'no answer' }
  const orders: string[] = []
  const queries: StatusQuery[] = []
  const carryOut = async ({ key }: { key: string }) => {
    orders.push(key)
    return answer()
  }
  const wallet: ScriptedWallet = {
    name: 'sandbox',
    orders,
    queries: questions,
    authorise: carryOut,
    refund: carryOut,
    async status(question) {
      questions.push(question)
      if (fault !== null) throw fault
      return known
    },
    setOutcome: (next) => (answer = next),
    setStatus: (outcome) => void (known = outcome),
    setStatusError: (error) => void (fault = error),
  }
  for (const { deps } of services) deps.wallets = openWallets(wallet, null)
  return wallet
}
