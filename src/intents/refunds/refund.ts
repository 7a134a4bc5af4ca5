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
import { judgeRefund } from './check.ts'
import { beginRefund } from './hold.ts'
import type { RefundRequest } from './parse-refund.ts'
import type { Refund } from './refund-record.ts'

/** Each look that comes to nothing means that another refund was quicker in that very moment. */
const mostLooks = 5

/** A refund costs as much as this many reads of its intent (measured): it reads the whole intent once, then builds, seals and stores the response. */
const costInReads = 3

/** The wallet's call with its grace (wallets/query.ts), and the 8 s that a request may wait on MongoDB. */
export const refundThirdPartyMs = (config: Pick<Config, 'walletTimeoutMs'>): number =>
  config.walletTimeoutMs + 9000

/**
 * Gives the money of a payment, or a part of it, back (SPEC 4.5): what it takes is set aside in one write, the wallet moves it, one write
 * ends it. The third-party step returns the intent and `refund`, the new record. Throws what `judgeRefund` says; REFUND_FAILED when the wallet did
 * not, and nothing changed; SERVICE_UNAVAILABLE while nobody knows: a retry finds its own refund and answers from it.
 */
export async function refundIntent(
  deps: Deps,
  caller: Caller,
  referenceNumber: string,
  asked: RefundRequest,
  effect: Effect,
): Promise<ThirdPartyStep> {
  const { cause } = effect
  for (let look = 0; look < mostLooks; look += 1) {
    const intent = await findIntentToChange(deps, caller, referenceNumber, effect.deadlineAt)
    if (wasBegun(intent, effect.id))
      return (withinDeadline) => earlierRefund(deps, caller, withinDeadline, referenceNumber, effect)
    const { payment, amount, committed } = judgeRefund(intent, asked)
    const wallet = deps.wallets.named(payment.wallet)
    if (wallet === null) throw withoutWallet()
    await deps.readPace.pass(caller.businessId, intent.bytes, costInReads)
    const refund = draft(deps, amount, asked.reason, effect.id)
    // This process was frozen for longer than its lease, so a retry may already have returned.
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
  // Whoever dies before the wallet answered leaves the question to a poll.
  return { id, amount, reason, status: 'PENDING', effectId, createdAt, validUntil, askAt: validUntil }
}

const wasBegun = ({ effects, refundEffects }: IntentToChange, effectId: string): boolean =>
  effects.includes(effectId) || refundEffects.includes(effectId)

const withoutWallet = (): Refusal =>
  refuse('SERVICE_UNAVAILABLE', {
    retryAfterSeconds: 60,
    message:
      'The wallet that made this payment is not connected now. Nothing changed. Repeat the request with the same idempotency key.',
  })
