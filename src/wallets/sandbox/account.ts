import { collection, type Stored } from '../../mongo/declare.ts'
import { date, orNull, part, secret, text, whole } from '../../mongo/fields.ts'

/**
 * A customer's wallet in the sandbox. `_id` is the phone number, for a demo wallet with the business's id before it, so
 * concurrent processes cannot create a wallet twice.
 */
export const walletAccounts = collection({
  name: 'wallets',
  kept: 'forever',
  fields: {
    _id: text,
    /** The phone number, which consists of digits only (phone.ts). */
    phone: text,
    /** The only business that sees this demo wallet. Null if every business sees the wallet. */
    businessId: orNull(text),
    /** The argon2id hash of the PIN. If null, no PIN is correct. */
    pinHash: orNull(secret(text)),
    /** In centimes. */
    balance: whole,
    wrongPins: part({ count: whole, lastAt: date }),
    createdAt: date,
  },
  // Staff search for wallets by phone number. A number may have one demo wallet for each business.
  indexes: [{ name: 'phone', key: { phone: 1 } }],
})
export type WalletAccount = Stored<typeof walletAccounts>

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
