import type { RefusalReason } from '../wallet.ts'

/** The outcome of every payment from certain demo wallets. If the outcome is `refused`, the PIN is not checked. */
type FixedOutcome =
  | { outcome: 'refused'; reason: RefusalReason }
  | { outcome: 'declined'; reason: 'limit_exceeded' }
  | { outcome: 'failed'; reason: 'technical_error' }

interface DemoWallet {
  /** The hash of the PIN. If null, no PIN is correct. */
  pinHash: string | null
  /** The balance of a new demo wallet, in centimes. */
  balance: number
  fixedOutcome: FixedOutcome | null
}

/**
 * The hash of 1234, which is not a secret. Storing it here avoids computing the hash whenever a demo wallet is created.
 */
const pinHash =
  '$argon2id$v=19$m=19456,t=2,p=1$fRkJqZEOChs2hm1R5iNmrQ$0HECChRVtUv70K1AxFnxy+xirggs1HGVcOgmdeaOyCs'
/**
 * A balance that is sufficient for nine million payments of the largest possible amount. JSON and MongoDB can represent
 * this number exactly.
 */
const plenty = 9_000_000_000_000_000

/**
 * The demo wallets that every business has in the sandbox, by phone number (docs/merchants/testing.md). Their PIN is
 * 1234, except for the one wallet for which no PIN is correct.
 */
export const demoWallets: Readonly<Record<string, DemoWallet>> = {
  '22000001': { pinHash, balance: plenty, fixedOutcome: null },
  '22000002': { pinHash: null, balance: plenty, fixedOutcome: null },
  '22000003': { pinHash, balance: 0, fixedOutcome: null },
  '22000004': { pinHash, balance: plenty, fixedOutcome: { outcome: 'failed', reason: 'technical_error' } },
  '22000005': { pinHash, balance: plenty, fixedOutcome: { outcome: 'declined', reason: 'limit_exceeded' } },
  '22000006': { pinHash, balance: plenty, fixedOutcome: { outcome: 'refused', reason: 'wallet_locked' } },
}
