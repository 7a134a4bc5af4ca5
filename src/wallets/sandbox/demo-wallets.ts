import type { RefusalReason } from '../wallet.ts'

/** What a demo wallet always does instead of paying. The locked one does not look at the PIN. */
type Habit =
  | { outcome: 'refused'; reason: RefusalReason }
  | { outcome: 'declined'; reason: 'limit_exceeded' }
  | { outcome: 'failed'; reason: 'technical_error' }

interface DemoWallet {
  /** Null: no PIN fits. */
  pin: string | null
  /** Centimes. */
  balance: number
  habit: Habit | null
}

const pin = '1234'
/** Nobody spends it: nine million payments of the largest amount. Still a whole number to JSON and to MongoDB. */
const plenty = 9_000_000_000_000_000

/** The wallets that every business has in the sandbox, by phone number (docs/testing.md). Their PIN is 1234. */
export const demoWallets: Readonly<Record<string, DemoWallet>> = {
  '22000001': { pin, balance: plenty, habit: null },
  '22000002': { pin: null, balance: plenty, habit: null },
  '22000003': { pin, balance: 0, habit: null },
  '22000004': { pin, balance: plenty, habit: { outcome: 'failed', reason: 'technical_error' } },
  '22000005': { pin, balance: plenty, habit: { outcome: 'declined', reason: 'limit_exceeded' } },
  '22000006': { pin, balance: plenty, habit: { outcome: 'refused', reason: 'wallet_locked' } },
}
