import { declareCollection, type Stored } from '../../mongo/declare.ts'
import { date, orNull, part, secret, text, whole } from '../../mongo/fields.ts'

/**
 * A customer's wallet in the sandbox. The `_id` is the phone number, prefixed with the business for a demo wallet, so
 * concurrent processes can't create the same wallet twice.
 */
export const walletAccounts = declareCollection({
  name: 'wallets',
  kept: 'forever',
  fields: {
    _id: text,
    /** Digits only (phone.ts). */
    phone: text,
    /** The only business that sees this demo wallet. Null if every business sees it. */
    businessId: orNull(text),
    /** Argon2id hash. Null if no PIN is correct. */
    pinHash: orNull(secret(text)),
    /** In centimes. */
    balance: whole,
    wrongPins: part({ count: whole, lastAt: date }),
    createdAt: date,
  },
  // Staff search by phone number. A number can have a demo wallet per business.
  indexes: [{ name: 'phone', key: { phone: 1 } }],
})
export type WalletAccount = Stored<typeof walletAccounts>

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
