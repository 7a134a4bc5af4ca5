import type { ReturnedFees } from '../../wallets/commission.ts'

/**
 * A refund as stored in its intent. While its outcome at the wallet is unknown, its status is PENDING. A refund that
 * the wallet did not carry out is removed from the intent.
 */
export interface Refund {
  /**
   * The refund's id, in the form `RF-…`. This id is also the idempotency key under which the wallet knows the refund.
   */
  id: string
  /** The amount in centimes. */
  amount: number
  /** The parts of the payment's fees that this refund gives back. They are fixed when the refund begins. */
  returnedFees: ReturnedFees
  reason: string | null
  status: 'PENDING' | 'SUCCEEDED'
  createdAt: Date
  /** When the service recorded that the refund succeeded. Missing while the refund is PENDING. */
  refundedAt?: Date
  /** Tells the write that settled the refund from that of another process, which may settle it at the same moment. */
  writeId?: string
  /** The time after which the wallet must not carry out the refund. */
  validUntil: Date
  /**
   * The time of the next query to the wallet for the outcome. This field is present only while the refund is PENDING.
   */
  queryAt?: Date
}

export const returnedFeesFields = { _id: false, providerTtc: Number, payerTtc: Number }

export const refundFields = {
  _id: false,
  id: String,
  amount: Number,
  returnedFees: returnedFeesFields,
  reason: String,
  status: String,
  createdAt: Date,
  refundedAt: Date,
  writeId: String,
  validUntil: Date,
  queryAt: Date,
}
