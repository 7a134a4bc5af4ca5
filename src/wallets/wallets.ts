import type { Wallet, WalletName } from './wallet.ts'

/** A wallet that keeps its connections open until it is closed. */
type LiveWallet = Wallet & { close(): Promise<void> }

/** The wallets that are configured in this installation. */
export type Wallets = ReturnType<typeof openWallets>

export function openWallets(sandboxWallet: Wallet | null, liveWallet: LiveWallet | null) {
  const all = [simulation, sandboxWallet, liveWallet]
  return {
    /**
     * Returns the wallet for new payments: the sandbox wallet for test intents, or the provider's wallet for live
     * intents. Returns null for live intents if no provider is configured.
     */
    forPayments: (sandbox: boolean): Wallet | null => (sandbox ? sandboxWallet : liveWallet),
    /** Returns the wallet that made an earlier payment, or null if that wallet is no longer configured. */
    named: (name: WalletName): Wallet | null => all.find((wallet) => wallet?.name === name) ?? null,
    async close(): Promise<void> {
      await liveWallet?.close()
    },
  }
}

/** The wallet for simulated payments. It holds no money, so every order succeeds. */
const simulation: Wallet = {
  name: 'simulation',
  authorise: async () => ({ outcome: 'done' }),
  refund: async () => ({ outcome: 'done' }),
  status: async () => ({ outcome: 'done' }),
}
