import type { Deps } from '../../src/deps.ts'
import type { Question, Wallet, WalletOutcome } from '../../src/wallets/wallet.ts'
import { openWallets } from '../../src/wallets/wallets.ts'

/** A wallet that answers what a test tells it to, and remembers what it was asked. */
export interface ToldWallet extends Wallet {
  /** The keys of the orders it got. */
  orders: string[]
  questions: Question[]
  /** To orders of both kinds. */
  answers(answer: () => WalletOutcome | Promise<WalletOutcome>): void
  knows(outcome: WalletOutcome): void
  /** Whoever asks gets this thrown. */
  fails(error: Error): void
}

/** Takes the place of the sandbox wallet of these processes. At first it answers nothing and knows nothing. */
export function toldWallet(...services: { deps: Deps }[]): ToldWallet {
  let answer: () => WalletOutcome | Promise<WalletOutcome> = () => ({ outcome: 'unknown', why: 'it hung up' })
  let fault: Error | null = null
  let known: WalletOutcome = { outcome: 'unknown', why: 'no answer' }
  const orders: string[] = []
  const questions: Question[] = []
  const carryOut = async ({ key }: { key: string }) => {
    orders.push(key)
    return answer()
  }
  const wallet: ToldWallet = {
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
