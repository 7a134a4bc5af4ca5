import type { Model } from 'mongoose'
import { type Collection, ifPresent } from '../../mongo/collection.ts'
import type { KnownOutcome } from '../wallet.ts'

declare module '../../platform/deps.ts' {
  interface Models {
    WalletMovement: Model<WalletMovement>
  }
}

/** The outcome of one order. It never changes. */
export interface WalletMovement {
  /** The order's key. */
  _id: string
  /** Null if the number has no wallet. */
  accountId: string | null
  kind: 'payment' | 'refund'
  /** In centimes. Null if a status query decided the order before it arrived. */
  amount: number | null
  /** The payer's fee in centimes, null like the amount. */
  fee: number | null
  /** Of the refunded payment. */
  paymentKey?: string
  result: KnownOutcome
  at: Date
  /** Missing if money moved: such movements are kept forever. */
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
