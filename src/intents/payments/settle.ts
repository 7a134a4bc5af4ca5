import type { DeclineReason, FailureReason } from '../../../schemas/payment-reasons.ts'
import type { Deps } from '../../deps.ts'
import { newId } from '../../ids.ts'
import { commissionOf } from '../../wallets/commission.ts'
import type { KnownOutcome } from '../../wallets/wallet.ts'
import type { Cause } from '../../webhooks/event.ts'
import { expireIntent } from '../expire.ts'
import type { Intent } from '../intent.ts'
import type { MoveName } from '../lifecycle.ts'
import { nudgeRelay } from '../nudge-relay.ts'
import { countMove, type PlannedChange, planMove, type Step, transition } from '../transition.ts'
import type { Payment, PaymentAttempt, PaymentFailure, PaymentUnderWay } from './payment.ts'
import { logged, planRelease } from './under-way.ts'

/** Who settles a payment: a request, or a job (null); and until when it waits (group-commit.ts). */
export interface Settler {
  cause: Cause | null
  until: number
}

/**
 * Ends a payment under way by what became of it at the wallet, in one write: PAID, FAILED, or PENDING as before, with the event that
 * goes with it. However often and from wherever this is called, it happens once. Answers the intent afterwards, or null when
 * the payment was not under way any more.
 */
export async function settlePayment(
  deps: Deps,
  intent: Intent,
  payment: PaymentUnderWay,
  outcome: KnownOutcome,
  by: Settler,
): Promise<Intent | null> {
  const settled = await write(deps, intent, payment, outcome, by)
  if (settled === null) {
    if (outcome.outcome === 'done') await tellIfAstray(deps, intent, payment)
    return null
  }
  nudgeRelay(deps, settled)
  const { referenceNumber } = intent
  const requestId = by.cause?.requestId ?? null
  deps.log.info({ referenceNumber, ...outcome, status: settled.status, requestId }, 'payment.settled')
  // Its expiry waited for this.
  if (settled.expiresAt <= deps.now()) await expireIntent(deps, settled.referenceNumber)
  return settled
}

async function write(
  deps: Deps,
  intent: Intent,
  payment: PaymentUnderWay,
  outcome: KnownOutcome,
  { cause, until }: Settler,
): Promise<Intent | null> {
  const attempt = attemptOf(deps, payment, outcome)
  const { move, filter, update, after } = planEnd(deps, intent, payment, attempt, { outcome, cause })
  const proof = { 'attempts.mark': attempt.mark }
  const isWritten = await deps.lanes.updateIntent({ filter, update, proof }, until)
  if (!isWritten) return null
  if (move !== null) countMove(deps, move, intent)
  return { ...after, attempts: [...intent.attempts, attempt] }
}

function planEnd(
  deps: Deps,
  intent: Intent,
  payment: PaymentUnderWay,
  attempt: PaymentAttempt,
  { outcome, cause }: { outcome: KnownOutcome; cause: Cause | null },
): PlannedChange {
  switch (outcome.outcome) {
    case 'refused':
    case 'not-executed':
      return planRelease(intent, attempt)
    case 'done':
    case 'declined':
    case 'failed':
      return planMove(deps, intent, {
        ...endOf(deps, payment, outcome, attempt),
        effectId: payment.id,
        cause,
        guard: { 'underWay.id': payment.id },
      })
  }
}

/** A payment as far as its end needs to know it. */
export type Ending = Pick<PaymentUnderWay, 'id' | 'wallet' | 'amount' | 'payerPhone'>
/** The outcomes that merchants hear of. */
export type ToldOutcome = Extract<KnownOutcome, { outcome: 'done' | 'declined' | 'failed' }>

/** The write of a payment that ends with something to tell; `by` says whose it is and what must hold. Null when that did not. */
export const endPayment = (
  deps: Pick<Deps, 'Intent' | 'config' | 'metrics' | 'now'>,
  intent: Intent,
  payment: Ending,
  outcome: ToldOutcome,
  by: Pick<Step, 'effectId' | 'cause' | 'guard'>,
): Promise<Intent | null> =>
  transition(deps, intent, { ...endOf(deps, payment, outcome, attemptOf(deps, payment, outcome)), ...by })

/** How a payment ends that merchants hear of. */
function endOf(
  deps: Pick<Deps, 'config' | 'now'>,
  payment: Ending,
  outcome: ToldOutcome,
  attempt: PaymentAttempt,
): Omit<Step, 'effectId' | 'cause' | 'guard'> {
  const lists = { $push: logged(attempt) }
  const failing = (move: MoveName, code: DeclineReason | FailureReason, retryable: boolean) => {
    const failure: PaymentFailure = { code, retryable }
    return { move, lists, set: { underWay: null, failure }, told: { failure } }
  }
  switch (outcome.outcome) {
    case 'done':
      return {
        move: 'pay',
        lists,
        set: { underWay: null, failure: null, payment: paymentOf(deps, payment) },
      }
    case 'declined':
      return failing('decline', outcome.reason, true)
    case 'failed':
      return failing('fail', outcome.reason, false)
  }
}

/** Money that the wallet took although it had told that it never would: nothing here may give it back, so somebody must. */
async function tellIfAstray(
  deps: Deps,
  { _id, referenceNumber }: Intent,
  payment: PaymentUnderWay,
): Promise<void> {
  const { id: key, wallet } = payment
  if ((await deps.Intent.exists({ _id, 'payment.key': key })) !== null) return
  deps.log.error({ referenceNumber, key, wallet }, 'payment.astray')
}

/** What a payment that succeeds now leaves in the intent. */
const paymentOf = (
  deps: Pick<Deps, 'config' | 'now'>,
  { id, wallet, amount, payerPhone }: Ending,
): Payment => ({
  amountPaid: amount,
  paidAt: deps.now(),
  method: 'WALLET',
  payerPhone,
  commission: commissionOf(amount, deps.config.commissionRates),
  wallet,
  key: id,
})

/** What a payment that ends now is remembered as. */
const attemptOf = (
  deps: Pick<Deps, 'now'>,
  { id, amount, payerPhone }: Ending,
  outcome: KnownOutcome,
): PaymentAttempt => ({
  kind: 'payment',
  id,
  at: deps.now(),
  amount,
  payerPhone,
  outcome: outcome.outcome,
  reason: 'reason' in outcome ? outcome.reason : null,
  mark: newId(),
})
