import { type AuditEvent, unauditedFields, unauditedIndex } from '../../audit/audit-event.ts'
import type { Collection } from '../../mongo/collection.ts'

/** An order that a sandbox wallet carries out. */
export interface WalletOrder {
  /** The order's idempotency key. */
  key: string
  kind: 'payment' | 'refund'
  /** The amount of the order, in centimes. */
  amount: number
  /** The payer's fee, in centimes, which is charged or returned in addition to the amount. */
  fee: number
  /** For a refund, the key of the refunded payment. For a payment, the payment's own key. */
  paymentKey: string
}

/**
 * A movement of money that is not finished yet. A wallet has at most one current movement. Until that movement is
 * finished, nothing else changes the wallet's balance.
 */
export interface CurrentMovement extends WalletOrder {
  /**
   * Identifies this attempt to carry out the order. The write that finishes or undoes the movement succeeds only while
   * the wallet has a movement with this nonce, so a movement cannot be finished or undone twice.
   */
  nonce: string
  since: Date
}

/** The attempts to enter a wallet's PIN. Each attempt is counted before the PIN is checked (failed-pins.ts). */
interface PinAttempts {
  /** This number increases each time the count of attempts is reset. Attempts from earlier rounds no longer count. */
  round: number
  taken: number
  /** The number of attempts whose PIN turned out to be wrong. */
  wrong: number
  lastTakenAt: Date
}

/**
 * A customer's wallet in the sandbox. For a demo wallet, `_id` consists of the business's id and the phone number. For
 * any other wallet, `_id` is the phone number. Concurrent processes therefore cannot create the same wallet twice.
 */
export interface WalletAccount {
  _id: string
  /** The phone number, which consists of digits only (phone.ts). */
  phone: string
  /**
   * The id of the only business that sees this demo wallet. If the wallet was created explicitly, this is null, and
   * every business sees the wallet.
   */
  businessId: string | null
  /** The argon2id hash of the PIN. If null, no PIN is correct. */
  pinHash: string | null
  /** The balance in centimes. It already includes the current movement. */
  balance: number
  pinAttempts: PinAttempts
  current: CurrentMovement | null
  createdAt: Date
  /** Audit lines that are not in the audit trail yet. */
  unaudited: AuditEvent[]
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
        fee: Number,
        paymentKey: String,
        since: Date,
      },
      default: null,
    },
    createdAt: Date,
    unaudited: unauditedFields,
  },
  indexes: [
    // Staff search for wallets by phone number. A number may have one demo wallet for each business.
    { name: 'phone', key: { phone: 1 } },
    unauditedIndex,
    // This index contains only the wallets with an unfinished movement. Status queries use it to find a wallet by the
    // key of the current movement, and the poll uses it to find abandoned movements.
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
  unaudited: [],
})
