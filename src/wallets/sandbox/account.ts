import type { Collection } from '../../mongo/collection.ts'

/** An order in the form that a sandbox wallet carries out. */
export interface WalletOrder {
  /** The idempotency key. */
  key: string
  kind: 'payment' | 'refund'
  /** Centimes. */
  amount: number
  /** The key of the refunded payment. A payment has its own key here. */
  paymentKey: string
}

/**
 * A movement of money that is not finished. A wallet has one at most, and nothing else changes the balance meanwhile.
 */
export interface CurrentMovement extends WalletOrder {
  /**
   * Identifies this attempt to carry out the order. Finishing and undoing are guarded by it, so neither happens twice.
   */
  nonce: string
  since: Date
}

/** The attempts to enter a wallet's PIN, counted before the PIN is checked (failed-pins.ts). */
interface PinAttempts {
  /** Increases with each reset. Attempts of earlier rounds no longer count. */
  round: number
  taken: number
  /** The number of taken attempts with a PIN that was found wrong. */
  wrong: number
  lastTakenAt: Date
}

/**
 * A customer's wallet in the sandbox. `_id` is its phone number, or business and number for a demo wallet. So
 * concurrent processes create one wallet for a number.
 */
export interface WalletAccount {
  _id: string
  /** Digits only (phone.ts). */
  phone: string
  /** The only merchant that sees this demo wallet. Null: the wallet was created, and every merchant sees it. */
  businessId: string | null
  /** An argon2id hash. Null: no PIN is right. */
  pinHash: string | null
  /** Centimes. It already includes the current movement. */
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
    // Has one entry per unfinished movement. The poll for old movements uses it too.
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
