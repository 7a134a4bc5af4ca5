import type { Caller } from '../../businesses/caller.ts'
import type { Deps } from '../../deps.ts'
import { type Refusal, refuse } from '../../errors.ts'
import type { Effect, WithinDeadline } from '../../idempotency/effect.ts'
import type { Cause } from '../../outbox/event.ts'
import { outcomeOf } from '../../wallets/query.ts'
import type { KnownOutcome, Wallet } from '../../wallets/wallet.ts'
import { findIntent } from '../find.ts'
import type { Intent } from '../intent.ts'
import { openRefund } from '../open-order.ts'
import type { Payment } from '../payments/payment.ts'
import { presentIntent, presentRefund } from '../present.ts'
import { askAbout, leaveOpen } from '../query-wallets.ts'
import type { Refund } from './refund-record.ts'
import { settleRefund } from './settle.ts'

/** What the call of the wallet is about. */
export interface Begun {
  /** The intent as it was before the refund. Its `refunds` are empty (see `IntentToChange`). */
  intent: Intent
  payment: Payment
  wallet: Wallet
  refund: Refund
  /** The request that began it. */
  cause: Cause | null
}

/** Has the wallet move the money, and ends the refund by what became of it. */
export async function carryOut(
  deps: Deps,
  caller: Caller,
  withinDeadline: WithinDeadline,
  begun: Begun,
): Promise<Record<string, unknown>> {
  const { intent, payment, wallet, refund } = begun
  const { id: key, amount, validUntil } = refund
  const order = { businessId: intent.businessId, key, amount, validUntil, paymentKey: payment.key }
  const outcome = await outcomeOf(deps, wallet.name, () => wallet.refund(order))
  if (outcome.outcome !== 'unknown') return conclude(deps, caller, withinDeadline, begun, outcome)
  const { referenceNumber } = intent
  const { why } = outcome
  deps.log.warn({ referenceNumber, refundId: key, wallet: wallet.name, why }, 'refund.outcome-unknown')
  await leaveOpen(deps, openRefund(deps, intent, payment, refund), withinDeadline)
  throw notKnownYet()
}

/** The refund that the request with this effect id began, if it is there still. */
const ownRefund = ({ refunds }: Intent, effectId: string): Refund | undefined =>
  refunds.find((refund) => refund.effectId === effectId)

/** What became of the refund that an earlier try of this request began. The wallet is asked when it is time, never told again. */
export async function earlierRefund(
  deps: Deps,
  caller: Caller,
  withinDeadline: WithinDeadline,
  referenceNumber: string,
  { id: effectId, cause }: Effect,
): Promise<Record<string, unknown>> {
  const look = () => withinDeadline((deadlineAt) => findIntent(deps, caller, referenceNumber, deadlineAt))
  const intent = await look()
  const refund = ownRefund(intent, effectId)
  const { payment } = intent
  if (refund?.status !== 'PENDING' || payment === null) return answerFrom(deps, intent, effectId)
  await askAbout(deps, openRefund(deps, intent, payment, refund), { cause, withinDeadline })
  return answerFrom(deps, await look(), effectId)
}

async function conclude(
  deps: Deps,
  caller: Caller,
  withinDeadline: WithinDeadline,
  { intent, refund, cause }: Begun,
  outcome: KnownOutcome,
): Promise<Record<string, unknown>> {
  const settled = await withinDeadline(() => settleRefund(deps, intent, refund, outcome, cause))
  // Null: somebody else has asked the wallet, and settled it.
  const after =
    settled ??
    (await withinDeadline((deadlineAt) => findIntent(deps, caller, intent.referenceNumber, deadlineAt)))
  return answerFrom(deps, after, refund.effectId)
}

/** The answer of the refund that this request began. */
function answerFrom(
  deps: Pick<Deps, 'config' | 'now'>,
  intent: Intent,
  effectId: string,
): Record<string, unknown> {
  const refund = ownRefund(intent, effectId)
  if (refund === undefined) throw refuse('REFUND_FAILED')
  if (refund.status === 'PENDING') throw notKnownYet()
  return { ...presentIntent(deps.config, intent, deps.now()), refund: presentRefund(refund) }
}

const notKnownYet = (): Refusal =>
  refuse('SERVICE_UNAVAILABLE', {
    retryAfterSeconds: 2,
    message:
      'The outcome of the refund is not known yet. Repeat the request with the same idempotency key within 24 hours.',
  })
