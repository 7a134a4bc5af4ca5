import { type RefundBody, refundBody } from '../../../schemas/refund.ts'
import type { Deps } from '../../deps.ts'

/** What a merchant asks for in a refund. */
export interface RefundRequest {
  /** Centimes; null: all that is left. */
  amount: number | null
  reason: string | null
  /** Centimes that must be left, or nothing shall happen; null: whatever is. */
  expectedRefundable: number | null
}

/** Judges the body of a refund. */
export function parseRefund(deps: Pick<Deps, 'validate'>, body: unknown): RefundRequest {
  const { amount, reason, expectedRefundable } = deps.validate<RefundBody>(refundBody, body)
  return {
    amount: amount ?? null,
    reason: reason ?? null,
    expectedRefundable: expectedRefundable ?? null,
  }
}
