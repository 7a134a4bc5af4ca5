import type { Deps } from '../../src/deps.ts'
import type { StatusQuery, Wallet, WalletOutcome } from '../../src/wallets/wallet.ts'
import { openWallets } from '../../src/wallets/wallets.ts'

/** A wallet that returns what a test sets, and records its calls. */
export interface ScriptedWallet extends Wallet {
  /** The keys of the orders it received. */
  orders: string[]
  questions: StatusQuery[]
  /** Sets the outcome of payments and refunds. */
  answers(answer: () => WalletOutcome | Promise<WalletOutcome>): void
  knows(outcome: WalletOutcome): void
  /** Makes every question throw this error. */
  fails(error: Error): void
}

/** Replaces the sandbox wallet of these processes. At first every outcome is unknown. */
export function scriptedWallet(...services: { deps: Deps }[]): ScriptedWallet {
  let answer: () => WalletOutcome | Promise<WalletOutcome> = () => ({ outcome: 'unknown', why: 'it hung up' })
  let fault: Error | null = null
  let known: WalletOutcome = { outcome: 'unknown', why: 'no answer' }
  const orders: string[] = []
  const questions: StatusQuery[] = []
  const carryOut = async ({ key }: { key: string }) => {
    orders.push(key)
    return answer()
  }
  const wallet: ScriptedWallet = {
    name: 'sandbox',
    orders,
    questions,
    authorise: carryOut,
    refund: carryOut,
    async status(question) {
      questions.push(question)
      if (fault !== null) throw fault
      return known
    },
    answers: (next) => (answer = next),
    knows: (outcome) => void (known = outcome),
    fails: (error) => void (fault = error),
  }
  for (const { deps } of services) deps.wallets = openWallets(wallet, null)
  return wallet
}
