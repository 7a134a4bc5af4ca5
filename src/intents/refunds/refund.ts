import { maxRefunds, refundBody } from '../../../schemas/intents.ts'
import type { Caller } from '../../businesses/caller.ts'
import { effectResult, type OperationResult, type WriteRequest } from '../../idempotency/request.ts'
import type { Deps } from '../../platform/deps.ts'
import { refuse } from '../../platform/errors.ts'
import { newRefundId } from '../../platform/ids.ts'
import { failingRefundAmount, orderDeadline } from '../../wallets/wallet.ts'
import { findEarlierResult } from '../effect.ts'
import { findIntentToChange, type IntentChangeDeps, type IntentToChange } from '../find.ts'
import { isRefundable } from '../lifecycle.ts'
import type { Refund } from '../records.ts'
import { createMarking, dropOldMarks, maxMarks } from '../transition.ts'
import { beginRefund, feePortionsOf } from './begin-and-settle.ts'
import { carryOutRefund } from './carry-out.ts'

interface RefundRequest {
  /** In centimes. Null refunds the remaining amount. */
  amount: number | null
  reason: string | null
  /** In centimes. If set, the refundable amount must equal it. */
  expectedRefundable: number | null
}

export function parseRefund(deps: Pick<Deps, 'validate'>, body: unknown): RefundRequest {
  const { amount = null, reason = null, expectedRefundable = null } = deps.validate(refundBody, body)
  return { amount, reason, expectedRefundable }
}

function checkRefund(intent: IntentToChange, request: RefundRequest) {
  const { payment, refundsCommitted, sandbox, status } = intent
  if (payment === null || !isRefundable(status)) throw refuse('INTENT_REFUND_INVALID_STATUS')
  const { amountPaid } = payment
  const refundable = amountPaid - refundsCommitted
  const details = { refundable }
  if (refundable === 0)
    throw refuse('INTENT_REFUND_INVALID_STATUS', {
      message: 'This payment intent has already been fully refunded.',
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
  if (amount > refundable) {
    const message = `amount can be at most ${refundable} centimes, the amount not refunded yet.`
    throw refuse('AMOUNT_OUT_OF_RANGE', { param: 'amount', details, message })
  }
  if (sandbox && [amount, amountPaid].includes(failingRefundAmount)) throw refuse('REFUND_FAILED')
  const { returnedFees, guard } = feePortionsOf(payment, intent, amount)
  const exactly = expectedRefundable === null ? {} : { refundsCommitted }
  return { payment, amount, returnedFees, guard: { ...guard, ...exactly } }
}

/** A round fails only if a concurrent refund changes the intent. */
const maxRounds = 5

const costInReads = 3

/** SPEC 4.5. The result's `data` may resolve to REFUND_FAILED. */
export async function refundIntent(
  deps: IntentChangeDeps,
  caller: Caller,
  referenceNumber: string,
  refundRequest: RefundRequest,
  request: WriteRequest,
): Promise<OperationResult> {
  const { cause, deadlineAt } = request
  for (let round = 0; round < maxRounds; round += 1) {
    const intent = await findIntentToChange(deps, caller, referenceNumber, request)
    const earlier = await findEarlierResult(deps, caller, intent, request)
    if (earlier !== null) return earlier
    const { payment, guard, ...amounts } = checkRefund(intent, refundRequest)
    const wallet = deps.wallets.named(payment.wallet)
    if (wallet === null)
      throw refuse('SERVICE_UNAVAILABLE', {
        retryAfterSeconds: 60,
        message:
          'The wallet used for this payment is not connected now. Nothing changed. Repeat the request with the same idempotency key.',
      })
    if (wallet.refunds === false)
      throw refuse('REFUND_FAILED', {
        details: { retryable: false },
        message:
          'The wallet that took this payment makes no refunds. Nothing changed. Return the money yourself.',
      })
    if (intent.freshMarks >= maxMarks.refund) throw refuse('SERVICE_UNAVAILABLE', { retryAfterSeconds: 3600 })
    await dropOldMarks(deps, intent, deadlineAt)
    await deps.capacity.paceWork(caller.businessId, intent.bytes, costInReads)
    const refund = draft(deps, amounts, refundRequest.reason)
    const marking = createMarking(request, refund.createdAt, { refundId: refund.id })
    if (await beginRefund(deps, intent, guard, { refund, marking }, deadlineAt))
      return effectResult(
        marking.mark,
        carryOutRefund(deps, caller, { intent, payment, wallet, refund, cause }),
        false,
      )
  }
  throw refuse('SERVICE_UNAVAILABLE', { retryAfterSeconds: 1 })
}

function draft(
  deps: Pick<Deps, 'config' | 'now'>,
  amounts: Pick<Refund, 'amount' | 'returnedFees'>,
  reason: string | null,
): Refund {
  const createdAt = deps.now()
  const validUntil = orderDeadline(deps.config, createdAt)
  const id = newRefundId()
  // `queryAt` lets a poll find the refund if this process dies.
  return { id, ...amounts, reason, status: 'PENDING', createdAt, validUntil, queryAt: validUntil }
}
