import { environmentOf } from '../metrics/metrics.ts'
import { newEvent, type OutboxEvent } from '../outbox/event.ts'
import type { PaymentFailure, Recorded } from '../outbox/facts.ts'
import type { Deps } from '../platform/deps.ts'
import type { Cause } from '../tracing/tracing.ts'
import { codeReusableFrom } from './codes.ts'
import { paymentFormat } from './event-data.ts'
import type { Intent } from './intent.ts'
import { isPending, type Transition, type TransitionName, transitions } from './lifecycle.ts'
import { type Marking, markedFilter, unmarkedFilter } from './marks.ts'
import type { Refund } from './records.ts'

export interface EventDetails {
  failure?: PaymentFailure
  refund?: RefundDetails
}

type RefundDetails = Pick<Refund, 'id' | 'amount' | 'returnedFees' | 'reason' | 'createdAt'>

/**
 * What to store with an event. Pass the intent as it is after the event. An OPEN intent has no amount until it's paid.
 * The commission is that of the payment, even for refunds.
 */
export function paymentFacts(intent: Intent, { failure, refund }: EventDetails): Recorded {
  const { status, payment } = intent
  const amount = payment?.amountPaid ?? (intent.amountType === 'OPEN' ? null : intent.amount)
  const facts = {
    status,
    ...(amount === null ? {} : { amount }),
    ...(payment === null
      ? {}
      : { paidAt: payment.paidAt, payerPhone: payment.payerPhone, commission: payment.commission }),
    ...(failure === undefined ? {} : { failure }),
    ...(refund === undefined ? {} : { refund: refundFacts(refund) }),
  }
  return { format: paymentFormat, facts }
}

const refundFacts = ({ id, amount, returnedFees, reason, createdAt }: RefundDetails) => ({
  id,
  amount,
  returnedFees,
  ...(reason === null ? {} : { reason }),
  createdAt,
})

export interface TransitionInput {
  name: TransitionName
  /** What to remember of the request. Null if `guard` alone makes sure that this happens only once. */
  marking: Marking | null
  /** Null without a request, as for an expiry. */
  cause: Cause | null
  /** Identifies the payment or refund that ends. */
  guard?: Record<string, unknown>
  set?: Partial<Pick<Intent, 'payment' | 'hold' | 'failure' | 'listedAmount'>>
  /** Update operators for the intent's lists and its summary of refunds. */
  lists?: { [Operator in '$min' | '$max' | '$inc' | '$set' | '$unset' | '$push']?: Record<string, unknown> }
  eventDetails?: EventDetails
}

export interface PlannedChange {
  /** Null if the status stays the same. */
  transition: TransitionName | null
  filter: { _id: string; [field: string]: unknown }
  update: Record<string, unknown>
  /** The lists and `referenceKey` are still those from before the change. */
  after: Intent
}

export interface PlannedTransition extends PlannedChange {
  /** Matches once the transition is written: by the mark, or by the event, which the relay removes from the outbox. */
  proof: Record<string, unknown>
  event: OutboxEvent
}

/**
 * Applies a transition, batched with others. Returns the intent after it, with the lists from before, or null if the
 * guard doesn't match. Without a mark, null may also mean that it was applied but its event was relayed before we could
 * check: then there's nothing left to do.
 */
export const applyTransition = (
  deps: Pick<Deps, 'batchers' | 'metrics' | 'now'>,
  intent: Intent,
  input: TransitionInput,
  deadlineAt: number,
): Promise<Intent | null> => {
  const { proof, ...change } = planTransition(deps, intent, input)
  return writeChange(deps, change, proof, deadlineAt)
}

/**
 * Returns `change.after`, or null if the filter doesn't match. For `proof`, see `GuardedUpdate` (mongo/batchers.ts).
 */
export async function writeChange(
  deps: Pick<Deps, 'batchers' | 'metrics'>,
  { transition, filter, update, after }: PlannedChange,
  proof: Record<string, unknown>,
  deadlineAt: number,
): Promise<Intent | null> {
  if (!(await deps.batchers.updateIntent({ filter, update, proof }, deadlineAt))) return null
  if (transition !== null) countTransition(deps, transition, after)
  return after
}

export const countTransition = (
  { metrics }: Pick<Deps, 'metrics'>,
  name: TransitionName | 'create',
  intent: Pick<Intent, 'sandbox'>,
): void => metrics.transitions.inc({ transition: name, environment: environmentOf(intent) })

/**
 * Plans the ONLY write that changes an intent's status: one update of one document with the guard, the change and the
 * event. `applyTransition` sends it. Payments and refunds are settled by `writeChange` instead, with a proof that
 * outlives the event.
 */
export function planTransition(
  deps: Pick<Deps, 'now'>,
  intent: Intent,
  input: TransitionInput,
): PlannedTransition {
  const { name, marking, cause, guard, set, lists, eventDetails = {} } = input
  const transition: Transition = transitions[name]
  const now = deps.now()
  const at = transition.at(intent, now)
  const { cancellationReason, freesReference } = transition
  const cancelsAt = transition.cancelsAt(intent)
  const change = { ...set, status: transition.to, cancelsAt, cancellationReason, updatedAt: at }
  const event = newEvent(transition.event, at, paymentFacts({ ...intent, ...change }, eventDetails), cause)
  const { businessId, sandbox, _id } = intent
  const { $set, $unset, $push, $min, ...others } = lists ?? {}
  return {
    transition: name,
    filter: {
      businessId,
      sandbox,
      _id,
      status: { $in: transition.from },
      ...transition.guard(now),
      ...guard,
      ...(marking === null ? {} : unmarkedFilter(marking)),
    },
    update: {
      ...others,
      $set: { ...change, ...$set },
      ...operator('$unset', { ...$unset, ...(freesReference ? { referenceKey: 1 } : {}) }),
      // Once the intent isn't PENDING, only the quarantine counts (codes.ts), however long the code would have been
      // active.
      ...operator('$min', {
        ...$min,
        ...(isPending(transition.to) ? {} : { codeReusableAt: codeReusableFrom(at) }),
      }),
      $push: { outbox: event, ...$push, ...(marking === null ? {} : { marks: marking.mark }) },
    },
    event,
    proof: marking === null ? { 'outbox.id': event.id } : markedFilter(marking),
    after: { ...intent, ...change },
  }
}

/** Leaves the operator out if it has no fields: MongoDB refuses empty ones. */
const operator = (name: '$unset' | '$min', fields: Record<string, unknown>): Record<string, object> =>
  Object.keys(fields).length === 0 ? {} : { [name]: fields }
