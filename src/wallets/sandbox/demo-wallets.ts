import type { RefusalReason } from '../wallet.ts'

/** What a demo wallet always does instead of paying. The locked one does not look at the PIN. */
type Habit =
  | { outcome: 'refused'; reason: RefusalReason }
  | { outcome: 'declined'; reason: 'limit_exceeded' }
  | { outcome: 'failed'; reason: 'technical_error' }

interface DemoWallet {
  /** Null: no PIN fits. */
  pinHash: string | null
  /** Centimes. */
  balance: number
  habit: Habit | null
}

/** Of 1234, and no secret: so a wallet that appears costs no hashing. */
const pinHash =
  '$argon2id$v=19$m=19456,t=2,p=1$fRkJqZEOChs2hm1R5iNmrQ$0HECChRVtUv70K1AxFnxy+xirggs1HGVcOgmdeaOyCs'
/** Nobody spends it: nine million payments of the largest amount. Still a whole number to JSON and to MongoDB. */
const plenty = 9_000_000_000_000_000

/** The wallets that every business has in the sandbox, by phone number (docs/merchants/testing.md). Their PIN is 1234. */
export const demoWallets: Readonly<Record<string, DemoWallet>> = {
  '22000001': { pinHash, balance: plenty, habit: null },
  '22000002': { pinHash: null, balance: plenty, habit: null },
  '22000003': { pinHash, balance: 0, habit: null },
  '22000004': { pinHash, balance: plenty, habit: { outcome: 'failed', reason: 'technical_error' } },
  '22000005': { pinHash, balance: plenty, habit: { outcome: 'declined', reason: 'limit_exceeded' } },
  '22000006': { pinHash, balance: plenty, habit: { outcome: 'refused', reason: 'wallet_locked' } },
}
