/**
 * A refund as stored in its intent. It is PENDING while its outcome at the wallet is unknown. A refund that the wallet
 * refused is removed.
 */
export interface Refund {
  /** `RF-…`. The id is also the idempotency key at the wallet. */
  id: string
  /** In centimes. */
  amount: number
  reason: string | null
  status: 'PENDING' | 'SUCCEEDED'
  /** The effect id of the request that started the refund. */
  effectId: string
  createdAt: Date
  /** The wallet must not carry out the refund after this time. */
  validUntil: Date
  /** When to query the wallet for the outcome. Present only while the refund is PENDING. */
  queryAt?: Date
}

export const refundFields = {
  _id: false,
  id: String,
  amount: Number,
  reason: String,
  status: String,
  effectId: String,
  createdAt: Date,
  validUntil: Date,
  queryAt: Date,
}
