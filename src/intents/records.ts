import type { DeclineReason, FailureReason } from '../../schemas/payment-reasons.ts'
import { date, type Of, oneOf, optional, orNull, part, text, whole } from '../mongo/fields.ts'
import { commissionFields, returnedFeesFields } from '../wallets/commission.ts'
import type { RefusalReason, WalletName } from '../wallets/wallet.ts'

/** A successful payment. */
export const paymentFields = part({
  /** The amount in centimes. */
  amountPaid: whole,
  paidAt: date,
  method: oneOf<'WALLET'>(),
  /** The masked phone number of the payer, for example `22 ** ** 45`. */
  payerPhone: text,
  payerHash: text,
  commission: commissionFields,
  wallet: oneOf<WalletName>(),
  /** The idempotency key under which the wallet knows the payment. */
  key: text,
})
export type Payment = Of<typeof paymentFields>

/**
 * A payment whose outcome is not known yet. While it holds the intent, no other payment, cancel or expiry can change
 * the intent.
 */
export const holdFields = part({
  /** The payment's id, which is also the idempotency key under which the wallet knows the payment. */
  id: text,
  wallet: oneOf<WalletName>(),
  /** The amount in centimes. */
  amount: whole,
  /** Calculated with the rates at the beginning of the payment. The payer is charged `amount` and `payerTtc`. */
  commission: commissionFields,
  /** The masked phone number of the payer, for example `22 ** ** 45`. */
  payerPhone: text,
  /** The keyed hash of the payer's phone number (look-up-keys.ts). The number itself is never stored. */
  payerHash: text,
  startedAt: date,
  /** The customer's address, for the limit on refused PINs (refused-pins.ts). It is unknown if no proxy reported it. */
  clientIp: optional(text),
  /** After this time, the wallet must not carry out the payment. */
  validUntil: date,
  /** When the wallet is queried next for the outcome. */
  queryAt: date,
  /** Distinguishes two concurrent attempts with the same form. */
  writeId: text,
})
export type PaymentHold = Of<typeof holdFields>

/**
 * The record of a payment that has ended, whatever its outcome, or of a refund that was not made. Support staff can see
 * these records. If the request for a simulated payment is retried, the retry finds the outcome here.
 */
export const attemptFields = part({
  kind: oneOf<'payment' | 'refund'>(),
  /** The id of the payment or refund. */
  id: text,
  at: date,
  /** When the payment or refund began. The field is missing if it began and ended in one write, as in a simulation. */
  startedAt: optional(date),
  amount: whole,
  /** The payer's fee, which the payment would charge, or the refund would give back, in addition to `amount`. */
  fee: whole,
  payerPhone: text,
  /** The keyed hash of the payer's phone number. A refund has none. */
  payerHash: optional(text),
  outcome: oneOf<'done' | 'refused' | 'declined' | 'failed' | 'not-executed'>(),
  reason: orNull(oneOf<RefusalReason | DeclineReason | FailureReason>()),
  /** With this id, a writer recognises its own write. */
  writeId: text,
})
export type PaymentAttempt = Of<typeof attemptFields>

/**
 * A refund as stored in its intent. While its outcome at the wallet is unknown, its status is PENDING. A refund that
 * the wallet did not carry out is removed from the intent.
 */
export const refundFields = part({
  /** Has the form `RF-…`. The wallet knows the refund by this idempotency key. */
  id: text,
  /** The amount in centimes. */
  amount: whole,
  /** The parts of the payment's fees that this refund gives back. They are fixed when the refund begins. */
  returnedFees: returnedFeesFields,
  reason: orNull(text),
  status: oneOf<'PENDING' | 'SUCCEEDED'>(),
  createdAt: date,
  /** When the service recorded that the refund succeeded. Missing while the refund is PENDING. */
  refundedAt: optional(date),
  /** Tells the write that settled the refund from that of another process, which may settle it at the same moment. */
  writeId: optional(text),
  /** The time after which the wallet must not carry out the refund. */
  validUntil: date,
  /** The time of the next query to the wallet for the outcome. Present only while the refund is PENDING. */
  queryAt: optional(date),
})
export type Refund = Of<typeof refundFields>
