import { environmentOf } from '../metrics/metrics.ts'
import { newEvent, type OutboxEvent } from '../outbox/event.ts'
import type { PaymentFailure, Recorded } from '../outbox/facts.ts'
import type { Deps } from '../platform/deps.ts'
import type { Cause } from '../tracing/tracing.ts'
import { codeReusableFrom } from './codes.ts'
import { paymentFormat } from './event-data.ts'
import type { Intent } from './intent.ts'
import { isPending, type Transition, type TransitionName, transitions } from './lifecycle.ts'
import { isMarked, type Marking, unlessMarked } from './marks.ts'
import type { Refund } from './records.ts'

/** The data that only some events contain: the reason why a payment failed, or the refund that was made. */
export interface EventDetails {
  failure?: PaymentFailure
  refund?: RefundDetails
}

type RefundDetails = Pick<Refund, 'id' | 'amount' | 'returnedFees' | 'reason' | 'createdAt'>

/**
 * Returns the facts to store with an event. Pass the intent as it is after the event. An OPEN intent has no amount
 * until it is paid. The commission is that of the payment, even in events for later refunds.
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

/** A transition to apply to one intent. */
export interface TransitionInput {
  name: TransitionName
  /** What the intent remembers of the request. Null if `guard` ensures that the transition happens only once. */
  marking: Marking | null
  /** The request that causes the transition, or null if no request causes it, as with an expiry. */
  cause: Cause | null
  /** An additional filter for the write. This filter identifies the payment or refund that this transition ends. */
  guard?: Record<string, unknown>
  /** The new values of fields that the transition changes in addition to the status. */
  set?: Partial<Pick<Intent, 'payment' | 'hold' | 'failure' | 'listedAmount'>>
  /** The changes to the intent's lists and to the summary of its refunds, written as MongoDB update operators. */
  lists?: { [Operator in '$min' | '$max' | '$inc' | '$set' | '$unset' | '$push']?: Record<string, unknown> }
  eventDetails?: EventDetails
}

/**
 * A planned change to an intent that has not been written yet. The change will be written as one update to one
 * document.
 */
export interface PlannedChange {
  /** The name of the transition, or null if the status stays the same. */
  transition: TransitionName | null
  filter: { _id: string; [field: string]: unknown }
  update: Record<string, unknown>
  /** The intent after the change, except that its lists and its `referenceKey` are still as they were before it. */
  after: Intent
}

export interface PlannedTransition extends PlannedChange {
  /**
   * A filter that matches the intent once the transition has been written: by the request's mark, or else by the event,
   * which stays in the outbox until the relay removes it.
   */
  proof: Record<string, unknown>
  /** The event that the write adds to the outbox. */
  event: OutboxEvent
}

/**
 * Applies a transition, in a batch with those of others. Returns the intent after it, with the lists from before.
 * Returns null if the guard does not match. Without a mark, also returns null if the transition was made, but its event
 * was relayed before the batcher could check that: nothing is left to do then.
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
 * Writes a planned change. Returns `change.after`, or null if the filter does not match. `GuardedUpdate` in
 * mongo/batchers.ts explains `proof`.
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

/** Increments the metric that counts transitions. Callers use this function after they have written a transition. */
export const countTransition = (
  { metrics }: Pick<Deps, 'metrics'>,
  name: TransitionName | 'create',
  intent: Pick<Intent, 'sandbox'>,
): void => metrics.transitions.inc({ transition: name, environment: environmentOf(intent) })

/**
 * Plans the ONLY write that changes an intent's status: one update of one document, with the guard, the change and the
 * event. `applyTransition` sends it. The settlements of payments and refunds use `writeChange`, with a proof that stays
 * valid after the event has been relayed.
 */
export function planTransition(deps: Pick<Deps, 'now'>, intent: Intent, input: TransitionInput): PlannedTransition {
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
      ...(marking === null ? {} : unlessMarked(marking)),
    },
    update: {
      ...others,
      $set: { ...change, ...$set },
      ...operator('$unset', { ...$unset, ...(freesReference ? { referenceKey: 1 } : {}) }),
      // When an intent stops being PENDING, its code becomes reusable after the quarantine (code.ts), even if the code
      // would have stayed active for longer.
      ...operator('$min', {
        ...$min,
        ...(isPending(transition.to) ? {} : { codeReusableAt: codeReusableFrom(at) }),
      }),
      $push: { outbox: event, ...$push, ...(marking === null ? {} : { marks: marking.mark }) },
    },
    event,
    proof: marking === null ? { 'outbox.id': event.id } : isMarked(marking),
    after: { ...intent, ...change },
  }
}

/** Returns an update operator for these fields, or no operator if there are none. */
const operator = (name: '$unset' | '$min', fields: Record<string, unknown>): Record<string, object> =>
  Object.keys(fields).length === 0 ? {} : { [name]: fields }
