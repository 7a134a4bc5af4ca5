import { declareCollection, ifPresent, type Stored } from '../../mongo/declare.ts'
import { date, oneOf, optional, orNull, part, type StoredField, text, whole } from '../../mongo/fields.ts'
import type { KnownOutcome } from '../wallet.ts'

/** What became of one order. It never changes. */
export const walletMovements = declareCollection({
  name: 'walletmovements',
  kept: 'until the clean-up of its intent, or until it expires if it moved no money',
  fields: {
    /** The order's key. */
    _id: text,
    /** Null if the number has no wallet. */
    accountId: orNull(text),
    kind: oneOf<'payment' | 'refund'>(),
    /** In centimes. Null if a status query decided the order before it arrived. */
    amount: orNull(whole),
    /** In centimes, null like the amount. */
    fee: orNull(whole),
    paymentKey: optional(text),
    result: part({ outcome: text, reason: optional(text) }) as StoredField<KnownOutcome>,
    at: date,
    /** Missing if the movement moved money. */
    forgetAt: optional(date),
  },
  indexes: [
    { name: 'byPayment', key: { paymentKey: 1 }, ...ifPresent('paymentKey') },
    { name: 'forgetting', key: { forgetAt: 1 }, expireAfterSeconds: 0 },
  ],
})
export type WalletMovement = Stored<typeof walletMovements>
