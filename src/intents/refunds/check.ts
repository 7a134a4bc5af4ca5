import { maxRefunds, refundBody } from '../../../schemas/refund.ts'
import type { Deps } from '../../deps.ts'
import { refuse } from '../../errors.ts'
import { failingRefund } from '../../wallets/magic-amounts.ts'
import type { IntentToChange } from '../batchers.ts'
import { isRefundable } from '../lifecycle.ts'
import { feeShareOf } from './set-aside.ts'

/** A merchant's request for a refund. */
export interface RefundRequest {
  /** The amount in centimes. If this is null, the whole refundable amount is refunded. */
  amount: number | null
  reason: string | null
  /**
   * The amount, in centimes, that the merchant expects to be refundable. If the actual refundable amount is different,
   * nothing is refunded. If this is null, the refundable amount is not compared.
   */
  expectedRefundable: number | null
}

/** Validates the body of a refund request. */
export function parseRefund(deps: Pick<Deps, 'validate'>, body: unknown): RefundRequest {
  const { amount, reason, expectedRefundable } = deps.validate(refundBody, body)
  return {
    amount: amount ?? null,
    reason: reason ?? null,
    expectedRefundable: expectedRefundable ?? null,
  }
}

/**
 * Checks whether the intent, as it was read, allows a refund. Returns its parts, and the `guard` that the intent must
 * match when the refund is written. Throws INTENT_REFUND_INVALID_STATUS if nothing has been
 * paid, nothing is left to refund, or the intent already has `maxRefunds` refunds. Throws REFUND_AMOUNT_MISMATCH if the
 * merchant expected a different refundable amount, and AMOUNT_OUT_OF_RANGE if the refund exceeds the refundable amount.
 * Both errors contain the refundable amount in `details.refundable`. In the sandbox, throws REFUND_FAILED for the test
 * amount that always fails.
 */
export function checkRefund(intent: IntentToChange, request: RefundRequest) {
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
  if (intent.refundCount >= maxRefunds)
    throw refuse('INTENT_REFUND_INVALID_STATUS', {
      message: `A payment intent can have at most ${maxRefunds} refunds.`,
      details,
    })
  const { expectedRefundable } = request
  if (expectedRefundable !== null && expectedRefundable !== refundable)
    throw refuse('REFUND_AMOUNT_MISMATCH', { param: 'expectedRefundable', details })
  const amount = request.amount ?? refundable
  if (amount > refundable) throw refuse('AMOUNT_OUT_OF_RANGE', { param: 'amount', details })
  if (sandbox && [amount, amountPaid].includes(failingRefund)) throw refuse('REFUND_FAILED')
  const { returnedFees, guard } = feeShareOf(payment, intent, amount)
  const exactly = expectedRefundable === null ? {} : { refundsCommitted }
  return { payment, amount, returnedFees, guard: { ...guard, ...exactly } }
}
