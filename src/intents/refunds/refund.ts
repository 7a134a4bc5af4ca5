import type { Caller } from '../../businesses/caller.ts'
import type { Config } from '../../config.ts'
import type { Deps } from '../../deps.ts'
import { type Refusal, refuse, unavailable } from '../../errors.ts'
import type { Effect, ThirdPartyStep } from '../../idempotency/effect.ts'
import { newRefundId } from '../../security/ids.ts'
import { orderDeadline } from '../../wallets/order-times.ts'
import { type IntentToChange } from '../batchers.ts'
import { findIntentToChange } from '../find.ts'
import { carryOut, earlierRefund } from './carry-out.ts'
import { checkRefund } from './check.ts'
import { beginRefund } from './hold.ts'
import type { RefundRequest } from './parse-refund.ts'
import type { Refund } from './refund-record.ts'

/**
 * The maximum number of rounds, each of which reads the intent and tries to write the refund. A round fails only if
 * another refund of the same intent is written between the read and the write.
 */
const maxRounds = 5

/**
 * The measured cost of a refund, expressed as a number of reads of the whole intent. Besides reading the intent once, a
 * refund builds, seals and stores the response.
 */
const costInReads = 3

/**
 * Returns how long the last step of a refund may take: the wallet's timeout, its grace period of 1 s
 * (wallets/query.ts), and the 8 s that a request may wait for MongoDB.
 */
export const refundThirdPartyMs = (config: Pick<Config, 'walletTimeoutMs'>): number => config.walletTimeoutMs + 9000

/**
 * Refunds all or part of a payment (SPEC 4.5). A first write sets the amount and its share of the fees aside. Then the
 * wallet transfers the money, and a second write ends the refund. This function throws the errors of `checkRefund`. It
 * returns a function that waits for the wallet and resolves to the intent, with the new refund as `refund`. The
 * returned function throws REFUND_FAILED if the wallet does not carry out the refund. In that case, the amount becomes
 * refundable again. If the outcome is still unknown, the returned function throws SERVICE_UNAVAILABLE. A retry then
 * finds the refund that the first request started.
 */
export async function refundIntent(
  deps: Deps,
  caller: Caller,
  referenceNumber: string,
  request: RefundRequest,
  effect: Effect,
): Promise<ThirdPartyStep> {
  const { cause } = effect
  for (let round = 0; round < maxRounds; round += 1) {
    const intent = await findIntentToChange(deps, caller, referenceNumber, effect.deadlineAt)
    if (hasStarted(intent, effect.id))
      return (withinDeadline) => earlierRefund(deps, caller, withinDeadline, referenceNumber, effect)
    const { payment, guard, ...amounts } = checkRefund(intent, request)
    const wallet = deps.wallets.named(payment.wallet)
    if (wallet === null) throw walletNotConnected()
    await deps.readPace.pass(caller.businessId, intent.bytes, costInReads)
    const refund = draft(deps, amounts, request.reason, effect.id)
    // If this process was frozen for longer than its lease lasts, a retry of this request may already have finished.
    if (performance.now() >= effect.deadlineAt) throw unavailable()
    if (await beginRefund(deps, intent, guard, refund))
      return (withinDeadline) => carryOut(deps, caller, withinDeadline, { intent, payment, wallet, refund, cause })
  }
  throw refuse('SERVICE_UNAVAILABLE', { retryAfterSeconds: 1 })
}

function draft(
  deps: Pick<Deps, 'config' | 'now'>,
  amounts: Pick<Refund, 'amount' | 'returnedFees'>,
  reason: string | null,
  effectId: string,
): Refund {
  const createdAt = deps.now()
  const validUntil = orderDeadline(deps.config, createdAt)
  const id = newRefundId()
  // `queryAt` is set from the start. If this process dies before the wallet responds, a poll finds the refund and
  // queries the wallet for the outcome.
  return { id, ...amounts, reason, status: 'PENDING', effectId, createdAt, validUntil, queryAt: validUntil }
}

const hasStarted = ({ effects, refundEffects }: IntentToChange, effectId: string): boolean =>
  effects.includes(effectId) || refundEffects.includes(effectId)

const walletNotConnected = (): Refusal =>
  refuse('SERVICE_UNAVAILABLE', {
    retryAfterSeconds: 60,
    message:
      'The wallet that made this payment is not connected now. Nothing changed. Repeat the request with the same idempotency key.',
  })
