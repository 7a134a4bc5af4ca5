import type { Model } from 'mongoose'
import type { Collection } from '../../mongo/collection.ts'

declare module '../../platform/deps.ts' {
  interface Models {
    WalletAccount: Model<WalletAccount>
  }
}

/**
 * A customer's wallet in the sandbox. The `_id` is the phone number, prefixed with the business for a demo wallet, so
 * concurrent processes can't create the same wallet twice.
 */
export interface WalletAccount {
  _id: string
  /** Digits only (phone.ts). */
  phone: string
  /**
   * The only business that sees this demo wallet. Null if the wallet was created explicitly: every business sees it.
   */
  businessId: string | null
  /** Argon2id hash. Null if no PIN is correct. */
  pinHash: string | null
  /** In centimes. */
  balance: number
  /** Counts from the last correct PIN. */
  wrongPins: { count: number; lastAt: Date }
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
    wrongPins: { _id: false, count: Number, lastAt: Date },
    createdAt: Date,
  },
  // Staff search by phone number. A number can have a demo wallet per business.
  indexes: [{ name: 'phone', key: { phone: 1 } }],
}

export const newAccount = (
  opening: Pick<WalletAccount, '_id' | 'phone' | 'businessId' | 'pinHash' | 'balance'>,
  now: Date,
): WalletAccount => ({ ...opening, wrongPins: { count: 0, lastAt: now }, createdAt: now })

/** With this many guesses before the lock, a stranger finds one 4-digit PIN in 2 000. */
const maxWrongPins = 5
/** Counted from the last wrong PIN. */
const lockedMs = 15 * 60_000

export interface PinState {
  failures: number
  lockEndsAt: Date | null
}

export function pinState({ wrongPins }: Pick<WalletAccount, 'wrongPins'>, now: Date): PinState {
  const { count, lastAt } = wrongPins
  const forgottenAt = new Date(lastAt.getTime() + lockedMs)
  if (forgottenAt <= now) return { failures: 0, lockEndsAt: null }
  return { failures: count, lockEndsAt: count >= maxWrongPins ? forgottenAt : null }
}
