import type { Collection } from '../../mongo/collection.ts'

/** An order as a sandbox wallet carries it out. */
export interface WalletOrder {
  /** The idempotency key. */
  key: string
  kind: 'payment' | 'refund'
  /** Centimes. */
  amount: number
  /** For a refund, the key of the refunded payment. For a payment, the payment's own key. */
  paymentKey: string
}

/**
 * A movement of money that has not been finished. A wallet has at most one current movement, and nothing else changes
 * the balance until that movement is finished.
 */
export interface CurrentMovement extends WalletOrder {
  /**
   * Identifies this attempt to carry out the order. Finishing or undoing the movement requires this nonce to match, so
   * neither happens twice.
   */
  nonce: string
  since: Date
}

/** The attempts to enter a wallet's PIN. Each attempt is counted before the PIN is checked (failed-pins.ts). */
interface PinAttempts {
  /** The round increases with each reset. Attempts from earlier rounds no longer count. */
  round: number
  taken: number
  /** The number of attempts whose PIN turned out to be wrong. */
  wrong: number
  lastTakenAt: Date
}

/**
 * A customer's wallet in the sandbox. For a demo wallet, `_id` consists of the business's id and the phone number. For
 * any other wallet, it is the phone number. Concurrent processes therefore create only one wallet per number.
 */
export interface WalletAccount {
  _id: string
  /** Digits only (phone.ts). */
  phone: string
  /**
   * The only merchant that sees this demo wallet. Null if the wallet was created explicitly, in which case every
   * merchant sees it.
   */
  businessId: string | null
  /** An argon2id hash. If null, no PIN is correct. */
  pinHash: string | null
  /** In centimes. The balance already includes the current movement. */
  balance: number
  pinAttempts: PinAttempts
  current: CurrentMovement | null
  createdAt: Date
}

export const walletAccounts: Collection = {
  name: 'wallets',
  fields: {
    _id: String,
    phone: String,
    businessId: String,
    pinHash: String,
    balance: Number,
    pinAttempts: { _id: false, round: Number, taken: Number, wrong: Number, lastTakenAt: Date },
    current: {
      type: {
        _id: false,
        nonce: String,
        key: String,
        kind: { type: String },
        amount: Number,
        paymentKey: String,
        since: Date,
      },
      default: null,
    },
    createdAt: Date,
  },
  indexes: [
    // The index has one entry per unfinished movement. The poll for abandoned movements also uses it.
    {
      name: 'moving',
      key: { 'current.key': 1 },
      partialFilterExpression: { 'current.key': { $exists: true } },
    },
  ],
}

export const newAccount = (
  opening: Pick<WalletAccount, '_id' | 'phone' | 'businessId' | 'pinHash' | 'balance'>,
  now: Date,
): WalletAccount => ({
  ...opening,
  pinAttempts: { round: 0, taken: 0, wrong: 0, lastTakenAt: now },
  current: null,
  createdAt: now,
})
