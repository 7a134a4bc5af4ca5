import { maxRefunds } from '../../../schemas/refund.ts'
import { refuse } from '../../errors.ts'
import { failingRefund } from '../../wallets/magic-amounts.ts'
import type { IntentToChange } from '../batchers.ts'
import { isRefundable } from '../lifecycle.ts'
import type { Payment } from '../payments/payment.ts'
import type { RefundRequest } from './parse-refund.ts'

/** A refund that may be: of which payment, how much (centimes), and what may be set aside for others at the moment of the write. */
export interface Allowed {
  payment: Payment
  amount: number
  committed: number | { $lte: number }
}

/**
 * Judges a refund by the intent as it was read. INTENT_REFUND_INVALID_STATUS when nothing is paid or nothing left, REFUND_AMOUNT_MISMATCH
 * and AMOUNT_OUT_OF_RANGE with what is left as `details.refundable`, REFUND_FAILED for the magic amount of the sandbox.
 */
export function judgeRefund(intent: IntentToChange, asked: RefundRequest): Allowed {
  const { payment, refundsCommitted, sandbox, status } = intent
  if (payment === null || !isRefundable(status)) throw refuse('INTENT_REFUND_INVALID_STATUS')
  const { amountPaid } = payment
  const refundable = amountPaid - refundsCommitted
  const details = { refundable }
  if (refundable === 0)
    throw refuse('INTENT_REFUND_INVALID_STATUS', {
      message: 'This payment intent is already fully refunded.',
      details,
    })
  if (intent.refundEffects.length >= maxRefunds)
    throw refuse('INTENT_REFUND_INVALID_STATUS', {
      message: `A payment intent can have at most ${maxRefunds} refunds.`,
      details,
    })
  const { expectedRefundable } = asked
  if (expectedRefundable !== null && expectedRefundable !== refundable)
    throw refuse('REFUND_AMOUNT_MISMATCH', { param: 'expectedRefundable', details })
  const amount = asked.amount ?? refundable
  if (amount > refundable) throw refuse('AMOUNT_OUT_OF_RANGE', { param: 'amount', details })
  if (sandbox && [amount, amountPaid].includes(failingRefund)) throw refuse('REFUND_FAILED')
  const committed = expectedRefundable === null ? { $lte: amountPaid - amount } : refundsCommitted
  return { payment, amount, committed }
}
