import type { Wallet, WalletName } from './wallet.ts'

/** A wallet that keeps connections open. */
type LiveWallet = Wallet & { close(): Promise<void> }

/** The wallets of this installation. */
export interface Wallets {
  /**
   * Returns the wallet for new payments. Test intents use the sandbox, live intents the provider. Returns null if live
   * mode has no provider.
   */
  forPayments(sandbox: boolean): Wallet | null
  /** Returns the wallet that made an earlier payment, or null if it is not configured any more. */
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

/** The wallet of simulated payments. It has no money, so every order succeeds. */
const simulation: Wallet = {
  name: 'simulation',
  authorise: async () => ({ outcome: 'done' }),
  refund: async () => ({ outcome: 'done' }),
  status: async () => ({ outcome: 'done' }),
}
