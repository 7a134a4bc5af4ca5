import { collection, ifPresent, type Stored } from '../../mongo/declare.ts'
import { date, type Field, oneOf, optional, orNull, part, text, whole } from '../../mongo/fields.ts'
import type { KnownOutcome } from '../wallet.ts'

/** The outcome of one order to a sandbox wallet. It never changes. */
export const walletMovements = collection({
  name: 'walletmovements',
  kept: 'until the clean-up of its intent, or until it expires if it moved no money',
  fields: {
    /** The order's key. */
    _id: text,
    /** Null if the wallet is unknown. */
    accountId: orNull(text),
    kind: oneOf<'payment' | 'refund'>(),
    /** In centimes. Null if a status query decided the order before the order itself arrived. */
    amount: orNull(whole),
    /** The payer's fee in centimes, or null like the amount. */
    fee: orNull(whole),
    /** The key of the refunded payment. */
    paymentKey: optional(text),
    result: part({ outcome: text, reason: optional(text) }) as Field<KnownOutcome>,
    at: date,
    /** When the movement is removed. Missing if it moved money. */
    forgetAt: optional(date),
  },
  indexes: [
    { name: 'byPayment', key: { paymentKey: 1 }, ...ifPresent('paymentKey') },
    { name: 'forgetting', key: { forgetAt: 1 }, expireAfterSeconds: 0 },
  ],
})
export type WalletMovement = Stored<typeof walletMovements>
