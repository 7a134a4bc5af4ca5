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

/** A round of reading and writing fails only if another refund of the same intent is written in between. */
const maxRounds = 5

/**
 * The measured cost of a refund, expressed as a number of reads. A refund reads the whole intent once, and then it
 * builds, seals and stores the response.
 */
const costInReads = 3

/**
 * Returns the wallet's timeout with its grace period of 1 s (wallets/query.ts), plus the 8 s that a request may wait
 * for MongoDB.
 */
export const refundThirdPartyMs = (config: Pick<Config, 'walletTimeoutMs'>): number =>
  config.walletTimeoutMs + 9000

/**
 * Refunds all or part of a payment (SPEC 4.5). One write sets the amount aside, then the wallet moves the money, and a
 * second write ends the refund. Returns a function that waits for the wallet and resolves to the intent, with the new
 * refund as `refund`. Throws the errors of `checkRefund`. Throws REFUND_FAILED if the wallet refuses, which leaves the
 * intent unchanged. Throws SERVICE_UNAVAILABLE while the outcome is unknown. In that case, a retry finds the refund
 * that the first request started.
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
    const { payment, amount, committed } = checkRefund(intent, request)
    const wallet = deps.wallets.named(payment.wallet)
    if (wallet === null) throw walletNotConnected()
    await deps.readPace.pass(caller.businessId, intent.bytes, costInReads)
    const refund = draft(deps, amount, request.reason, effect.id)
    // If this process was frozen for longer than its lease, a retry may already have finished.
    if (performance.now() >= effect.deadlineAt) throw unavailable()
    if (await beginRefund(deps, intent, committed, refund))
      return (withinDeadline) =>
        carryOut(deps, caller, withinDeadline, { intent, payment, wallet, refund, cause })
  }
  throw refuse('SERVICE_UNAVAILABLE', { retryAfterSeconds: 1 })
}

function draft(
  deps: Pick<Deps, 'config' | 'now'>,
  amount: number,
  reason: string | null,
  effectId: string,
): Refund {
  const createdAt = deps.now()
  const validUntil = orderDeadline(deps.config, createdAt)
  const id = newRefundId()
  // If this process dies before the wallet responds, a poll queries the wallet for the outcome.
  return { id, amount, reason, status: 'PENDING', effectId, createdAt, validUntil, queryAt: validUntil }
}

const hasStarted = ({ effects, refundEffects }: IntentToChange, effectId: string): boolean =>
  effects.includes(effectId) || refundEffects.includes(effectId)

const walletNotConnected = (): Refusal =>
  refuse('SERVICE_UNAVAILABLE', {
    retryAfterSeconds: 60,
    message:
      'The wallet that made this payment is not connected now. Nothing changed. Repeat the request with the same idempotency key.',
  })
