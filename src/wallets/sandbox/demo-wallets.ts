import type { RefusalReason } from '../wallet.ts'

/** The outcome of every payment from certain demo wallets. If the outcome is `refused`, the PIN is not checked. */
type FixedOutcome =
  | { outcome: 'refused'; reason: RefusalReason }
  | { outcome: 'declined'; reason: 'limit_exceeded' }
  | { outcome: 'failed'; reason: 'technical_error' }

interface DemoWallet {
  /** The PIN, which is not a secret. If null, no PIN is correct. */
  pin: string | null
  /** The balance of a new demo wallet, in centimes. */
  balance: number
  fixedOutcome: FixedOutcome | null
}

export const pin = '1234'
/**
 * A balance that is sufficient for nine million payments of the largest possible amount. JSON and MongoDB can represent
 * this number exactly.
 */
const plenty = 9_000_000_000_000_000

/**
 * The demo wallets that every business has in the sandbox, by phone number (docs/merchants/testing.md). Their PIN is
 * `pin`, except for the one wallet for which no PIN is correct.
 */
export const demoWallets: Readonly<Record<string, DemoWallet>> = {
  '22000001': { pin, balance: plenty, fixedOutcome: null },
  '22000002': { pin: null, balance: plenty, fixedOutcome: null },
  '22000003': { pin, balance: 0, fixedOutcome: null },
  '22000004': { pin, balance: plenty, fixedOutcome: { outcome: 'failed', reason: 'technical_error' } },
  '22000005': { pin, balance: plenty, fixedOutcome: { outcome: 'declined', reason: 'limit_exceeded' } },
  '22000006': { pin, balance: plenty, fixedOutcome: { outcome: 'refused', reason: 'wallet_locked' } },
}
