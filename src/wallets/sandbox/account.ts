import type { Collection } from '../../mongo/collection.ts'

/** An order, as a wallet carries it out. */
export interface WalletOrder {
  /** The idempotency key. */
  key: string
  kind: 'payment' | 'refund'
  /** Centimes. */
  amount: number
  /** The key of the payment that a refund gives back; of a payment its own. */
  paymentKey: string
}

/** Money on its way into or out of a wallet: one at a time. While it stands nothing else changes the balance. */
export interface CurrentMovement extends WalletOrder {
  /** Of this one try to carry the order out. Whoever undoes or ends it names it, so neither happens twice. */
  nonce: string
  since: Date
}

/** PINs typed for a wallet: counted before they are looked at (pin-tries.ts). */
interface PinTries {
  /** One higher each time the count begins anew: what was taken before that counts for nothing any more. */
  round: number
  taken: number
  /** How many of those taken are known to be wrong. */
  wrong: number
  lastTakenAt: Date
}

/**
 * A customer's wallet in the sandbox. `_id` is its phone number, or business and number of a demo wallet, so that
 * a number has one however many make it at once.
 */
export interface WalletAccount {
  _id: string
  /** Digits only (phone.ts). */
  phone: string
  /** Of a demo wallet the merchant for whom alone it exists. */
  businessId: string | null
  /** argon2id. Null: no PIN fits. */
  pinHash: string | null
  /** Centimes; the current movement's are taken or given already. */
  balance: number
  tries: PinTries
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
    tries: { _id: false, round: Number, taken: Number, wrong: Number, lastTakenAt: Date },
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
    // As many entries as there are movements under way: good for the poll too, which looks for old ones.
    {
      name: 'moving',
      key: { 'current.key': 1 },
      partialFilterExpression: { 'current.key': { $exists: true } },
    },
  ],
}

/** A wallet that nobody has used. */
export const newAccount = (
  opening: Pick<WalletAccount, '_id' | 'phone' | 'businessId' | 'pinHash' | 'balance'>,
  now: Date,
): WalletAccount => ({
  ...opening,
  tries: { round: 0, taken: 0, wrong: 0, lastTakenAt: now },
  current: null,
  createdAt: now,
})
