import { refuse } from '../errors.ts'
import { simulation } from './simulation.ts'
import type { Wallet, WalletName } from './wallet.ts'

/** One that keeps connections. */
type LiveWallet = Wallet & { close(): Promise<void> }

/** The wallets of this installation. */
export interface Wallets {
  /** The one that customers pay by; null when live mode has none configured. Test intents and live ones never share one. */
  forPayments(sandbox: boolean): Wallet | null
  /** The one that an earlier payment was made by. Throws SERVICE_UNAVAILABLE when it is not configured any more. */
  named(name: WalletName): Wallet
  close(): Promise<void>
}

export function openWallets(sandboxWallet: Wallet | null, liveWallet: LiveWallet | null): Wallets {
  const byName: Record<WalletName, Wallet | null> = { simulation, sandbox: sandboxWallet, live: liveWallet }
  return {
    forPayments: (sandbox) => byName[sandbox ? 'sandbox' : 'live'],
    named(name) {
      const wallet = byName[name]
      if (wallet === null) throw withoutWallet()
      return wallet
    },
    async close() {
      await liveWallet?.close()
    },
  }
}

const withoutWallet = () =>
  refuse('SERVICE_UNAVAILABLE', {
    retryAfterSeconds: 60,
    message: 'The wallet of this payment is not connected right now. Nothing was changed.',
  })
