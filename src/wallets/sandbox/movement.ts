import type { Model } from 'mongoose'
import { type Collection, ifPresent } from '../../mongo/collection.ts'
import type { KnownOutcome } from '../wallet.ts'

declare module '../../platform/deps.ts' {
  interface Models {
    WalletMovement: Model<WalletMovement>
  }
}

/** The outcome of one order to a sandbox wallet. It never changes. */
export interface WalletMovement {
  /** The order's key. */
  _id: string
  /** Null if the wallet is unknown. */
  accountId: string | null
  kind: 'payment' | 'refund'
  /** The amount in centimes. This is null if a status query decided the order before the order itself arrived. */
  amount: number | null
  /** The payer's fee in centimes, or null like the amount. */
  fee: number | null
  /** The key of the refunded payment. */
  paymentKey?: string
  result: KnownOutcome
  at: Date
  /**
   * The time at which the movement is removed. Those that moved money are never removed, so this field is missing in
   * them.
   */
  forgetAt?: Date
}

export const walletMovements: Collection = {
  name: 'walletmovements',
  fields: {
    _id: String,
    accountId: String,
    kind: String,
    amount: Number,
    fee: Number,
    paymentKey: String,
    result: { _id: false, outcome: String, reason: String },
    at: Date,
    forgetAt: Date,
  },
  indexes: [
    { name: 'byPayment', key: { paymentKey: 1 }, ...ifPresent('paymentKey') },
    { name: 'forgetting', key: { forgetAt: 1 }, expireAfterSeconds: 0 },
  ],
}
