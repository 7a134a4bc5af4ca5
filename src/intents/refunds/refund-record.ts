/**
 * A refund. `id` (`RF-…`) is also the wallet's idempotency key. PENDING between the call of the wallet and its outcome; one that
 * was refused is taken out again.
 */
export interface Refund {
  id: string
  /** Centimes. */
  amount: number
  reason: string | null
  status: 'PENDING' | 'SUCCEEDED'
  /** Of the request that asked for it. */
  effectId: string
  createdAt: Date
  validUntil: Date
  /** When the wallet shall be asked; only while PENDING. */
  askAt?: Date
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
  askAt: Date,
}
