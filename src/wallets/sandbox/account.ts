import type { Model } from 'mongoose'
import type { Collection } from '../../mongo/collection.ts'

declare module '../../platform/deps.ts' {
  interface Models {
    WalletAccount: Model<WalletAccount>
  }
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
  /** In centimes. */
  balance: number
  /** The wrong PINs since the last correct one. */
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
  // Staff search for wallets by phone number. A number may have one demo wallet for each business.
  indexes: [{ name: 'phone', key: { phone: 1 } }],
}

export const newAccount = (
  opening: Pick<WalletAccount, '_id' | 'phone' | 'businessId' | 'pinHash' | 'balance'>,
  now: Date,
): WalletAccount => ({ ...opening, wrongPins: { count: 0, lastAt: now }, createdAt: now })

/** With this many guesses before the lock, a stranger finds one PIN of 4 digits in 2 000. */
const maxWrongPins = 5
/** Wrong PINs are forgotten once this much time has passed since the last one. */
const lockedMs = 15 * 60_000

/** Whether a wallet's PIN is locked. `lockEndsAt` is null if it is not. */
export interface PinState {
  wrongAttempts: number
  lockEndsAt: Date | null
}

/** Returns the state of a wallet's PIN at `now`. */
export function pinState({ wrongPins }: Pick<WalletAccount, 'wrongPins'>, now: Date): PinState {
  const { count, lastAt } = wrongPins
  const forgottenAt = new Date(lastAt.getTime() + lockedMs)
  if (forgottenAt <= now) return { wrongAttempts: 0, lockEndsAt: null }
  return { wrongAttempts: count, lockEndsAt: count >= maxWrongPins ? forgottenAt : null }
}
