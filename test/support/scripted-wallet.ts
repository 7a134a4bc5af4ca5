import type { Deps } from '../../src/platform/deps.ts'
import * as wallets from '../../src/wallets/wallet.ts'
import { excuse } from '../invariants/expect-invariants.ts'

export interface ScriptedWallet extends wallets.Wallet {
  orders: string[]
  queries: wallets.OrderStatusQuery[]
  setOutcome(carryOut: () => wallets.WalletOutcome | Promise<wallets.WalletOutcome>): void
  setStatus(outcome: wallets.WalletOutcome): void
  setStatusError(error: Error): void
}

/** Replaces these processes' sandbox wallet. At first, every outcome is unknown. */
export function scriptedWallet(...services: { deps: Deps }[]): ScriptedWallet {
  let carryOut: () => wallets.WalletOutcome | Promise<wallets.WalletOutcome> = () => ({
    outcome: 'unknown',
    why: 'connection closed',
  })
  let statusError: Error | null = null
  let status: wallets.WalletOutcome = { outcome: 'unknown', why: 'no response' }
  const orders: string[] = []
  const queries: wallets.OrderStatusQuery[] = []
  const execute = async ({ key }: { key: string }) => {
    orders.push(key)
    return carryOut()
  }
  const wallet: ScriptedWallet = {
    name: 'sandbox',
    orders,
    queries,
    authorise: execute,
    refund: execute,
    async status(query) {
      queries.push(query)
      if (statusError !== null) throw statusError
      return status
    },
    setOutcome: (next) => (carryOut = next),
    setStatus: (outcome) => void (status = outcome),
    setStatusError: (error) => void (statusError = error),
  }
  for (const { deps } of services) {
    excuse([deps.mongo.name], 'wallet movements')
    deps.wallets = wallets.openWallets(wallet, null)
  }
  return wallet
}
