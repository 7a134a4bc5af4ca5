import { declareCollection, indexIfPresent, type Stored } from '../../mongo/declare.ts'
import * as field from '../../mongo/fields.ts'
import type { KnownWalletOutcome } from '../wallet.ts'

export const walletAccounts = declareCollection({
  name: 'wallets',
  kept: 'forever',
  fields: {
    /** The phone number. For a demo wallet, the business's id precedes it. */
    _id: field.text,
    phone: field.text,
    /** The owner of a demo wallet. Null if every business sees the wallet. */
    businessId: field.orNull(field.text),
    /** Argon2id hash. Null if every PIN is rejected. */
    pinHash: field.orNull(field.secret(field.text)),
    balance: field.whole,
    wrongPins: field.part({ count: field.whole, lastAt: field.date }),
    createdAt: field.date,
  },
  // Each business can have a demo wallet with the same number.
  indexes: [{ name: 'phone', key: { phone: 1 } }],
})
export type WalletAccount = Stored<typeof walletAccounts>

export const newWalletAccount = (
  opening: Pick<WalletAccount, '_id' | 'phone' | 'businessId' | 'pinHash' | 'balance'>,
  now: Date,
): WalletAccount => ({ ...opening, wrongPins: { count: 0, lastAt: now }, createdAt: now })

/** The chance of guessing a 4-digit PIN before the lock is 1 in 2,000. */
const maxWrongPins = 5
const lockedMs = 15 * 60_000

export interface PinLockState {
  failures: number
  lockEndsAt: Date | null
}

export function pinLockStateOf({ wrongPins }: Pick<WalletAccount, 'wrongPins'>, now: Date): PinLockState {
  const { count, lastAt } = wrongPins
  const forgottenAt = new Date(lastAt.getTime() + lockedMs)
  if (forgottenAt <= now) return { failures: 0, lockEndsAt: null }
  return { failures: count, lockEndsAt: count >= maxWrongPins ? forgottenAt : null }
}

export const walletMovements = declareCollection({
  name: 'walletmovements',
  kept: 'until the clean-up of its intent, or until it expires if it moved no money',
  fields: {
    _id: field.text,
    accountId: field.orNull(field.text),
    kind: field.oneOf<'payment' | 'refund'>(),
    amount: field.orNull(field.whole),
    fee: field.orNull(field.whole),
    paymentKey: field.optional(field.text),
    result: field.part({
      outcome: field.text,
      reason: field.optional(field.text),
    }) as field.StoredField<KnownWalletOutcome>,
    at: field.date,
    /** Missing if the movement transferred money. */
    forgetAt: field.optional(field.date),
  },
  indexes: [
    { name: 'byPayment', key: { paymentKey: 1 }, ...indexIfPresent('paymentKey') },
    { name: 'forgetting', key: { forgetAt: 1 }, expireAfterSeconds: 0 },
  ],
})
export type WalletMovement = Stored<typeof walletMovements>
