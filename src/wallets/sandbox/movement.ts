import type { Model } from 'mongoose'
import { type Collection, ifPresent } from '../../mongo/collection.ts'
import type { KnownOutcome } from '../wallet.ts'

declare module '../../platform/deps.ts' {
  interface Models {
    WalletMovement: Model<WalletMovement>
  }
}

/** What became of one order. It never changes. */
export interface WalletMovement {
  /** The order's key. */
  _id: string
  /** Null if the number has no wallet. */
  accountId: string | null
  kind: 'payment' | 'refund'
  /** In centimes. Null if a status query decided the order before it arrived. */
  amount: number | null
  /** In centimes, null like the amount. */
  fee: number | null
  paymentKey?: string
  result: KnownOutcome
  at: Date
  /** Missing if money moved, because such movements are kept forever. */
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
