import { type RefundBody, refundBody } from '../../../schemas/refund.ts'
import type { Deps } from '../../deps.ts'

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
  const { amount, reason, expectedRefundable } = deps.validate<RefundBody>(refundBody, body)
  return {
    amount: amount ?? null,
    reason: reason ?? null,
    expectedRefundable: expectedRefundable ?? null,
  }
}
