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
import { leaveOpen, queryOrder } from '../query-wallets.ts'
import type { Refund } from './refund-record.ts'
import { settleRefund } from './settle.ts'

/** A refund whose amount has been set aside, but that has not been sent to the wallet yet. */
export interface StartedRefund {
  /**
   * The intent as it was before the refund. Its `refunds` list is always empty, for the reason given at
   * `IntentToChange`.
   */
  intent: Intent
  payment: Payment
  wallet: Wallet
  refund: Refund
  /** The request that started the refund. */
  cause: Cause | null
}

/**
 * Sends the refund to the wallet and stores the outcome. Returns the response data. Throws if the refund failed or its
 * outcome is still unknown.
 */
export async function carryOut(
  deps: Deps,
  caller: Caller,
  withinDeadline: WithinDeadline,
  started: StartedRefund,
): Promise<Record<string, unknown>> {
  const { intent, payment, wallet, refund, cause } = started
  const { referenceNumber, businessId } = intent
  const requestId = cause?.requestId ?? null
  const { id: key, amount, returnedFees, validUntil } = refund
  const fee = returnedFees.payerTtc
  const order = { businessId, key, amount, fee, validUntil, paymentKey: payment.key, requestId }
  const outcome = await outcomeOf(deps, wallet.name, () => wallet.refund(order))
  if (outcome.outcome !== 'unknown') return conclude(deps, caller, withinDeadline, started, outcome)
  const { why } = outcome
  const about = { referenceNumber, businessId, refundId: key, wallet: wallet.name, why, requestId }
  deps.log.warn(about, 'refund.outcome-unknown')
  await leaveOpen(deps, openRefund(deps, intent, payment, refund), withinDeadline)
  throw outcomeUnknown()
}

/**
 * Returns the refund that the request with this effect id started. Returns undefined if that refund has been released.
 */
const ownRefund = ({ refunds }: Intent, effectId: string): Refund | undefined =>
  refunds.find((refund) => refund.effectId === effectId)

/**
 * Returns the response data if an earlier attempt at this request has already started the refund. If a query is due,
 * first queries the wallet for the outcome. Never sends the refund to the wallet again. Throws the same errors as
 * `carryOut`.
 */
export async function earlierRefund(
  deps: Deps,
  caller: Caller,
  withinDeadline: WithinDeadline,
  referenceNumber: string,
  { id: effectId, cause }: Effect,
): Promise<Record<string, unknown>> {
  const read = () => withinDeadline((deadlineAt) => findIntent(deps, caller, referenceNumber, deadlineAt))
  const intent = await read()
  const refund = ownRefund(intent, effectId)
  const { payment } = intent
  if (refund?.status !== 'PENDING' || payment === null) return responseOf(deps, intent, effectId)
  await queryOrder(deps, openRefund(deps, intent, payment, refund), { cause, withinDeadline })
  return responseOf(deps, await read(), effectId)
}

async function conclude(
  deps: Deps,
  caller: Caller,
  withinDeadline: WithinDeadline,
  { intent, refund, cause }: StartedRefund,
  outcome: KnownOutcome,
): Promise<Record<string, unknown>> {
  const settled = await withinDeadline(() => settleRefund(deps, intent, refund, outcome, cause))
  // If `settled` is null, another process has already settled the refund.
  const after =
    settled ?? (await withinDeadline((deadlineAt) => findIntent(deps, caller, intent.referenceNumber, deadlineAt)))
  return responseOf(deps, after, refund.effectId)
}

/**
 * Returns the response data for the refund that this request started. Throws if the refund failed or is still PENDING.
 */
function responseOf(deps: Pick<Deps, 'config' | 'now'>, intent: Intent, effectId: string): Record<string, unknown> {
  const refund = ownRefund(intent, effectId)
  if (refund === undefined) throw refuse('REFUND_FAILED')
  if (refund.status === 'PENDING') throw outcomeUnknown()
  return { ...presentIntent(deps.config, intent, deps.now()), refund: presentRefund(refund) }
}

const outcomeUnknown = (): Refusal =>
  refuse('SERVICE_UNAVAILABLE', {
    retryAfterSeconds: 2,
    message:
      'The outcome of the refund is not known yet. Repeat the request with the same idempotency key within 24 hours.',
  })
