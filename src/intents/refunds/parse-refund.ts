import { type RefundBody, refundBody } from '../../../schemas/refund.ts'
import type { Deps } from '../../deps.ts'

/** A refund that a merchant requests. */
export interface RefundRequest {
  /** Centimes. If null, everything that is refundable is refunded. */
  amount: number | null
  reason: string | null
  /**
   * The refundable amount that the merchant expects, in centimes. If the actual amount differs, nothing is refunded. If
   * null, any amount is accepted.
   */
  expectedRefundable: number | null
}

/** Validates the body of a refund. */
export function parseRefund(deps: Pick<Deps, 'validate'>, body: unknown): RefundRequest {
  const { amount, reason, expectedRefundable } = deps.validate<RefundBody>(refundBody, body)
  return {
    amount: amount ?? null,
    reason: reason ?? null,
    expectedRefundable: expectedRefundable ?? null,
  }
}
