import type { Deps } from '../../deps.ts'
import { bookEvents } from '../../ledger/book.ts'
import { noDeadline } from '../../mongo/batching/batcher.ts'
import type { Cause, OutboxEvent } from '../../outbox/event.ts'
import { wakeRelay } from '../../outbox/wake-relay.ts'
import { inTime } from '../../process/timeout.ts'
import { newId } from '../../security/ids.ts'
import type { KnownOutcome } from '../../wallets/wallet.ts'
import type { Intent } from '../intent.ts'
import type { PaymentAttempt } from '../payments/payment.ts'
import { planTransition, writeChange } from '../transition.ts'
import { pending, releaseRefund } from './hold.ts'
import type { Refund } from './refund-record.ts'

/**
 * Ends a PENDING refund according to its outcome at the wallet, in one write. If the money was refunded, the intent
 * becomes REFUNDED and gets a `payment.refunded` event. Otherwise, the refund is removed, and its amount and its share
 * of the fees become refundable again. The refund is settled only once, however often this function runs. Returns
 * false if the refund was no longer PENDING. `cause` is the request that settles the refund,
 * or null if a job settles it.
 */
export async function settleRefund(
  deps: Deps,
  intent: Intent,
  refund: Refund,
  outcome: KnownOutcome,
  cause: Cause | null,
): Promise<boolean> {
  const wasPending =
    outcome.outcome === 'done'
      ? await endRefund(deps, intent, refund, cause)
      : await releaseRefund(deps, intent, refund, attemptOf(deps, intent, refund, outcome))
  if (!wasPending) {
    if (outcome.outcome === 'done') await logIfAstray(deps, intent, refund)
    return false
  }
  wakeRelay(deps, intent)
  const { referenceNumber } = intent
  const requestId = cause?.requestId ?? null
  deps.log.info({ referenceNumber, refundId: refund.id, ...outcome, requestId }, 'refund.settled')
  return true
}

/**
 * Makes the intent REFUNDED and books the refund in the ledger, so that the merchant sees it in the ledger as soon as
 * the response arrives. The refund and its event have the same time.
 */
async function endRefund(deps: Deps, intent: Intent, refund: Refund, cause: Cause | null): Promise<boolean> {
  const [at, writeId] = [deps.now(), newId()]
  const planned = planTransition({ now: () => at }, intent, {
    name: 'refund',
    marking: null,
    cause,
    guard: pending(refund.id),
    lists: {
      $set: { 'refunds.$.status': 'SUCCEEDED', 'refunds.$.refundedAt': at, 'refunds.$.writeId': writeId },
      $unset: { 'refunds.$.queryAt': 1 },
      $min: { 'refundTimes.firstAt': at },
      $max: { 'refundTimes.lastAt': at },
      $inc: { 'refundTimes.count': 1 },
    },
    eventDetails: { refund },
  })
  const settled = await writeChange(deps, planned, { 'refunds.writeId': writeId }, noDeadline)
  if (settled === null) return false
  await bookSoon(deps, settled, planned.event)
  return true
}

/** The maximum time that a response waits for the ledger. */
const bookingMs = 1_000

/**
 * Books a refund in the ledger before the relay does, so that the merchant sees it there as soon as the response
 * arrives. Never throws, and waits for at most a second, because the relay books every event that is in the outbox.
 */
export async function bookSoon(deps: Deps, intent: Intent, refunded: OutboxEvent): Promise<void> {
  const deadlineAt = performance.now() + bookingMs
  const book = async (): Promise<void> => {
    const paid = await unrelayedPayment(deps, intent)
    await bookEvents(deps, intent, [...paid, refunded], deadlineAt)
  }
  await inTime(book(), bookingMs)
}

/** Returns the event of the payment if it is not relayed yet. The ledger must contain a payment before its refund. */
async function unrelayedPayment({ Intent: model }: Pick<Deps, 'Intent'>, { _id }: Intent): Promise<OutboxEvent[]> {
  const found = await model
    .findOne({ _id }, { outbox: { $elemMatch: { event: 'payment.confirmed' } } })
    .lean<Pick<Intent, 'outbox'> | null>()
  return found?.outbox ?? []
}

/** Returns the record of a refund that was not made. */
const attemptOf = (
  deps: Pick<Deps, 'now'>,
  { payment }: Intent,
  { id, amount, returnedFees, createdAt }: Refund,
  outcome: KnownOutcome,
): PaymentAttempt => ({
  kind: 'refund',
  id,
  at: deps.now(),
  startedAt: createdAt,
  amount,
  fee: returnedFees.payerTtc,
  payerPhone: payment?.payerPhone ?? '',
  outcome: outcome.outcome,
  reason: 'reason' in outcome ? outcome.reason : null,
  writeId: newId(),
})

/**
 * Logs an error if the wallet has refunded the money although it had reported that it never would. The merchant does
 * not know about the refund, so an operator must act.
 */
async function logIfAstray(deps: Deps, { _id, referenceNumber }: Intent, refund: Refund): Promise<void> {
  const { id: refundId } = refund
  if ((await deps.Intent.exists({ _id, 'refunds.id': refundId })) !== null) return
  deps.log.error({ referenceNumber, refundId }, 'refund.astray')
}
