import type { DeclineReason, FailureReason } from '../../schemas/payment-reasons.ts'
import type { Commission, ReturnedFees } from '../wallets/commission.ts'
import type { RefusalReason, WalletName } from '../wallets/wallet.ts'

/** A successful payment. */
export interface Payment {
  /** The amount in centimes. */
  amountPaid: number
  paidAt: Date
  method: 'WALLET'
  /** The masked phone number of the payer, for example `22 ** ** 45`. */
  payerPhone: string
  payerHash: string
  commission: Commission
  wallet: WalletName
  /** The idempotency key under which the wallet knows the payment. */
  key: string
}

/**
 * A payment whose outcome is not known yet. While it holds the intent, no other payment, cancel or expiry can change
 * the intent.
 */
export interface PaymentHold {
  /** The payment's id, which is also the idempotency key under which the wallet knows the payment. */
  id: string
  wallet: WalletName
  /** The amount in centimes. */
  amount: number
  /** Calculated with the rates at the beginning of the payment. The payer is charged `amount` and `payerTtc`. */
  commission: Commission
  /** The masked phone number of the payer, for example `22 ** ** 45`. */
  payerPhone: string
  /** The keyed hash of the payer's phone number (look-up-keys.ts). The number itself is never stored. */
  payerHash: string
  startedAt: Date
  /** The customer's address, for the limit on refused PINs (refused-pins.ts). It is unknown if no proxy reported it. */
  clientIp?: string
  /** The time after which the wallet must not carry out the payment. */
  validUntil: Date
  /** The time of the next query to the wallet for the outcome. */
  queryAt: Date
  /**
   * An id that is unique to each attempt to hold the intent. This id distinguishes two concurrent attempts with the
   * same form.
   */
  writeId: string
}

/**
 * The record of a payment that has ended, whatever its outcome, or of a refund that was not made. Support staff can see
 * these records. If the request for a simulated payment is retried, the retry finds the outcome here.
 */
export interface PaymentAttempt {
  kind: 'payment' | 'refund'
  /** The id of the payment or refund. */
  id: string
  at: Date
  /** When the payment or refund began. The field is missing if it began and ended in one write, as in a simulation. */
  startedAt?: Date
  amount: number
  /** The payer's fee, which the payment would charge, or the refund would give back, in addition to `amount`. */
  fee: number
  payerPhone: string
  /** The keyed hash of the payer's phone number. A refund has none. */
  payerHash?: string
  outcome: 'done' | 'refused' | 'declined' | 'failed' | 'not-executed'
  reason: RefusalReason | DeclineReason | FailureReason | null
  /** An id that is unique to each attempt to write this record. With this id, a writer can recognise its own write. */
  writeId: string
}

const commissionFields = {
  _id: false,
  providerTtc: Number,
  payerTtc: Number,
  tof: Number,
  tte: Number,
  totalRevenue: Number,
}

export const paymentFields = {
  _id: false,
  amountPaid: Number,
  paidAt: Date,
  method: String,
  payerPhone: String,
  payerHash: String,
  commission: commissionFields,
  wallet: String,
  key: String,
}

export const holdFields = {
  _id: false,
  id: String,
  wallet: String,
  amount: Number,
  commission: commissionFields,
  payerPhone: String,
  payerHash: String,
  startedAt: Date,
  clientIp: String,
  validUntil: Date,
  queryAt: Date,
  writeId: String,
}

export const attemptFields = {
  _id: false,
  kind: String,
  id: String,
  at: Date,
  startedAt: Date,
  amount: Number,
  fee: Number,
  payerPhone: String,
  payerHash: String,
  outcome: String,
  reason: String,
  writeId: String,
}

export const failureFields = { _id: false, code: String, retryable: Boolean }

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
