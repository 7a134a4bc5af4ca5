import type { DeclineReason, FailureReason } from '../../../schemas/payment-reasons.ts'
import type { Commission } from '../../wallets/commission.ts'
import type { RefusalReason, WalletName } from '../../wallets/wallet.ts'

/** A payment: what was paid (centimes), when, how and by whom (masked: `22******45`), and what it earns. */
export interface Payment {
  amountPaid: number
  paidAt: Date
  method: 'WALLET'
  payerPhone: string
  commission: Commission
  wallet: WalletName
  /** The key under which the wallet knows it. */
  key: string
}

/**
 * A payment between the call of the wallet and its outcome. While it stands nobody else pays, cancels or expires the intent.
 * `id` is the wallet's idempotency key; `askAt`: when the wallet shall be asked what became of it.
 */
export interface PaymentHold {
  id: string
  wallet: WalletName
  /** Centimes. */
  amount: number
  payerPhone: string
  startedAt: Date
  /** The wallet must not carry it out later. */
  validUntil: Date
  askAt: Date
  /** Fresh with each try to begin, so that each knows its own: the same form may be sent twice at once. */
  mark: string
}

/**
 * A payment that came to an end, whatever it was; for support staff, and so that no form is carried out twice. Also a refund that was
 * not made, for support staff alone: `id` is the refund's.
 */
export interface PaymentAttempt {
  kind: 'payment' | 'refund'
  id: string
  at: Date
  amount: number
  payerPhone: string
  outcome: 'done' | 'refused' | 'declined' | 'failed' | 'not-executed'
  reason: RefusalReason | DeclineReason | FailureReason | null
  /** Fresh with each try to write its end down, so that each knows its own. */
  mark: string
}

/** Why the last payment did not succeed. Retryable: the intent is still PENDING, and the customer may try again. */
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
  askAt: Date,
  mark: String,
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
  mark: String,
}

export const failureFields = { _id: false, code: String, retryable: Boolean }
