import type { DeclineReason, FailureReason } from '../../../schemas/payment-reasons.ts'
import type { Commission } from '../../wallets/commission.ts'
import type { RefusalReason, WalletName } from '../../wallets/wallet.ts'

/** A successful payment. */
export interface Payment {
  /** In centimes. */
  amountPaid: number
  paidAt: Date
  method: 'WALLET'
  /** Masked, for example `22******45`. */
  payerPhone: string
  commission: Commission
  wallet: WalletName
  /** The payment's idempotency key at the wallet. */
  key: string
}

/**
 * A payment whose outcome is not known yet. While it exists, no other payment, cancel or expiry can change the intent.
 */
export interface PaymentHold {
  /** The payment's id, which is also its idempotency key at the wallet. */
  id: string
  wallet: WalletName
  /** In centimes. */
  amount: number
  /** Masked, for example `22******45`. */
  payerPhone: string
  startedAt: Date
  /** The wallet must not carry out the payment after this time. */
  validUntil: Date
  /** When to query the wallet next for the outcome. */
  queryAt: Date
  /** Unique for each attempt to hold the intent, because the same form may be submitted twice at the same time. */
  writeId: string
}

/**
 * A payment that has ended, whatever its outcome, or a refund that was not made. Support staff can see both. The record
 * of a payment also prevents the same form from being paid twice.
 */
export interface PaymentAttempt {
  kind: 'payment' | 'refund'
  /** The id of the payment or refund. */
  id: string
  at: Date
  amount: number
  payerPhone: string
  outcome: 'done' | 'refused' | 'declined' | 'failed' | 'not-executed'
  reason: RefusalReason | DeclineReason | FailureReason | null
  /** Unique for each attempt to write the end of the payment or refund, so that a writer recognises its own write. */
  writeId: string
}

/**
 * The reason why the last payment did not succeed. If `retryable` is true, the intent is still PENDING, and the
 * customer may pay again.
 */
export interface PaymentFailure {
  code: DeclineReason | FailureReason
  retryable: boolean
}

export const paymentFields = {
  _id: false,
  amountPaid: Number,
  paidAt: Date,
  method: String,
  payerPhone: String,
  commission: {
    _id: false,
    providerTtc: Number,
    payerTtc: Number,
    tof: Number,
    tte: Number,
    totalRevenue: Number,
  },
  wallet: String,
  key: String,
}

export const holdFields = {
  _id: false,
  id: String,
  wallet: String,
  amount: Number,
  payerPhone: String,
  startedAt: Date,
  validUntil: Date,
  queryAt: Date,
  writeId: String,
}

export const attemptFields = {
  _id: false,
  kind: String,
  id: String,
  at: Date,
  amount: Number,
  payerPhone: String,
  outcome: String,
  reason: String,
  writeId: String,
}

export const failureFields = { _id: false, code: String, retryable: Boolean }
