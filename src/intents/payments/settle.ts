import type { Deps } from '../../deps.ts'
import type { Cause } from '../../outbox/event.ts'
import { wakeRelay } from '../../outbox/wake-relay.ts'
import type { KnownOutcome } from '../../wallets/wallet.ts'
import { expiryJobs } from '../expire.ts'
import type { Intent } from '../intent.ts'
import { isPending } from '../lifecycle.ts'
import { changeTogether, type PlannedChange, planMove } from '../transition.ts'
import { attemptOf, endOf } from './end.ts'
import { planRelease } from './hold.ts'
import type { PaymentAttempt, PaymentHold } from './payment.ts'

/** Who settles a payment: a request, or a job (null); and until when it waits (mongo/batching/batcher.ts). */
export interface Settler {
  cause: Cause | null
  deadlineAt: number
}

/**
 * Ends a payment under way by what became of it at the wallet, in one write: PAID, FAILED, or PENDING as before, with the event that
 * goes with it. However often and from wherever this is called, it happens once. Answers the intent afterwards, or null when
 * the payment was not under way any more.
 */
export async function settlePayment(
  deps: Deps,
  intent: Intent,
  payment: PaymentHold,
  outcome: KnownOutcome,
  by: Settler,
): Promise<Intent | null> {
  const settled = await write(deps, intent, payment, outcome, by)
  if (settled === null) {
    if (outcome.outcome === 'done') await tellIfAstray(deps, intent, payment)
    return null
  }
  wakeRelay(deps, settled)
  const { referenceNumber } = intent
  const requestId = by.cause?.requestId ?? null
  deps.log.info({ referenceNumber, ...outcome, status: settled.status, requestId }, 'payment.settled')
  // Its expiry waited for this. The customer does not wait for that: the intent reads as expired from now on.
  const now = deps.now()
  if (isPending(settled.status) && settled.expiresAt <= now)
    deps.enqueue('intent-expiry', expiryJobs([settled], now))
  return settled
}

async function write(
  deps: Deps,
  intent: Intent,
  payment: PaymentHold,
  outcome: KnownOutcome,
  { cause, deadlineAt }: Settler,
): Promise<Intent | null> {
  const attempt = attemptOf(deps, payment, outcome)
  const change = planEnd(deps, intent, payment, attempt, { outcome, cause })
  // Not by the event, which may be relayed before one asks: the customer is told how it went.
  const after = await changeTogether(deps, change, { 'attempts.mark': attempt.mark }, deadlineAt)
  return after === null ? null : { ...after, attempts: [...intent.attempts, attempt] }
}

function planEnd(
  deps: Deps,
  intent: Intent,
  payment: PaymentHold,
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
        guard: { 'hold.id': payment.id },
      })
  }
}

/** Money that the wallet took although it had told that it never would: nothing here may give it back, so somebody must. */
async function tellIfAstray(
  deps: Deps,
  { _id, referenceNumber }: Intent,
  payment: PaymentHold,
): Promise<void> {
  const { id: key, wallet } = payment
  if ((await deps.Intent.exists({ _id, 'payment.key': key })) !== null) return
  deps.log.error({ referenceNumber, key, wallet }, 'payment.astray')
}
