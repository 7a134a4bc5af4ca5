import type { Wallet, WalletName } from './wallet.ts'

/** One that keeps connections. */
type LiveWallet = Wallet & { close(): Promise<void> }

/** The wallets of this installation. */
export interface Wallets {
  /** The one that customers pay by; null when live mode has none configured. Test intents and live ones never share one. */
  forPayments(sandbox: boolean): Wallet | null
  /** The one that an earlier payment was made by; null when it is not configured any more. */
  named(name: WalletName): Wallet | null
  close(): Promise<void>
}

export function openWallets(sandboxWallet: Wallet | null, liveWallet: LiveWallet | null): Wallets {
  const all = [simulation, sandboxWallet, liveWallet]
  return {
    forPayments: (sandbox) => (sandbox ? sandboxWallet : liveWallet),
    named: (name) => all.find((wallet) => wallet?.name === name) ?? null,
    async close() {
      await liveWallet?.close()
    },
  }
}

/** Stands behind payments that were simulated: there is no money, so it always moves. */
const simulation: Wallet = {
  name: 'simulation',
  authorise: async () => ({ outcome: 'done' }),
  refund: async () => ({ outcome: 'done' }),
  status: async () => ({ outcome: 'done' }),
}
