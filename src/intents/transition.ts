import { createRequestMark, freshKeysSince, isFreshMark, type WriteRequest } from '../idempotency/request.ts'
import { newEvent, type OutboxEvent, type PaymentFailure, type RecordedFacts } from '../outbox/event.ts'
import type { Deps } from '../platform/deps.ts'
import { newId } from '../platform/ids.ts'
import { modeOf } from '../platform/mode.ts'
import type { CausingRequest } from '../tracing/tracing.ts'
import { codeReusableFrom } from './codes.ts'
import type { Intent, IntentMark, IntentWithoutRefunds } from './intent.ts'
import * as lifecycle from './lifecycle.ts'
import { paymentEventFormat } from './present.ts'
import type { Refund } from './records.ts'

interface EventDetails {
  failure?: PaymentFailure
  refund?: RefundDetails
}

type RefundDetails = Pick<Refund, 'id' | 'amount' | 'returnedFees' | 'reason' | 'createdAt'>

/** Pass the intent as it is after the event. */
export function paymentFacts(
  intent: Pick<Intent, 'status' | 'payment' | 'amountType' | 'amount'>,
  { failure, refund }: EventDetails,
): RecordedFacts {
  const { status, payment } = intent
  // An OPEN intent has no amount before it's paid.
  const amount = payment?.amountPaid ?? (intent.amountType === 'OPEN' ? null : intent.amount)
  const facts = {
    status,
    ...(amount !== null && { amount }),
    ...(payment !== null && {
      paidAt: payment.paidAt,
      payerPhone: payment.payerPhone,
      commission: payment.commission,
    }),
    ...(failure && { failure }),
    ...(refund && { refund: refundFacts(refund) }),
  }
  return { format: paymentEventFormat, facts }
}

const refundFacts = ({ id, amount, returnedFees, reason, createdAt }: RefundDetails) => ({
  id,
  amount,
  returnedFees,
  ...(reason !== null && { reason }),
  createdAt,
})

export interface Marking {
  mark: IntentMark
  arrivedAt: Date
}

export const createMarking = (
  request: Pick<WriteRequest, 'key' | 'paramsHash' | 'arrivedAt'>,
  at: Date,
  details: Pick<IntentMark, 'refundId' | 'payment'> = {},
): Marking => ({
  mark: { ...createRequestMark(request, at), id: newId(), ...details },
  arrivedAt: request.arrivedAt,
})

export const findMark = (
  { marks }: Pick<Intent, 'marks'>,
  { key, arrivedAt }: Pick<WriteRequest, 'key' | 'arrivedAt'>,
): IntentMark | null => marks.find((mark) => mark.key === key && isFreshMark(mark, arrivedAt)) ?? null

export const unmarkedFilter = ({ mark: { key }, arrivedAt }: Marking) => ({
  marks: { $not: { $elemMatch: { key, at: { $gt: freshKeysSince(arrivedAt) } } } },
})

/** An intent with this many marks can only be cancelled. */
export const maxMarks = { payment: 1000, refund: 3000 } as const

/** Unrelayed failures stay in the outbox and could make it too large. */
export const acceptsPayments = (intent: { waitingEvents: number; freshMarks: number }): boolean =>
  Math.max(intent.waitingEvents, intent.freshMarks) < maxMarks.payment

/** Removes marks that are over 24 hours old. Few intents have any. */
export async function dropOldMarks(
  deps: Pick<Deps, 'batchers' | 'now'>,
  { _id, hasOldMarks }: Pick<Intent, '_id'> & { hasOldMarks: boolean },
  deadlineAt: number,
): Promise<void> {
  if (!hasOldMarks) return
  const old = { at: { $lte: freshKeysSince(deps.now()) } }
  const update = { $pull: { marks: old } }
  await deps.batchers.updateIntent({ filter: { _id }, update, proof: {} }, deadlineAt)
}

export interface TransitionInput {
  name: lifecycle.TransitionName
  /** Null if `guard` alone ensures that the transition happens only once. */
  marking: Marking | null
  cause: CausingRequest | null
  guard?: Record<string, unknown>
  set?: Partial<Pick<Intent, 'payment' | 'hold' | 'failure' | 'listedAmount'>>
  lists?: { [Operator in '$min' | '$max' | '$inc' | '$set' | '$unset' | '$push']?: Record<string, unknown> }
  eventDetails?: EventDetails
}

export interface PlannedTransition<Stored> {
  transition: lifecycle.TransitionName | null
  filter: { _id: string; [field: string]: unknown }
  update: Record<string, unknown>
  /** Has the new status, but the lists from before the change. */
  after: Stored
}

export type TransitionDeps = Pick<Deps, 'batchers' | 'metrics' | 'now'>
export type SettleDeps = TransitionDeps & Pick<Deps, 'Intent' | 'enqueue' | 'log'>

/** Null if the guard failed or, without `marking`, if the event was relayed. */
export function applyTransition<Stored extends IntentWithoutRefunds>(
  deps: TransitionDeps,
  intent: Stored,
  input: TransitionInput,
  deadlineAt: number,
): Promise<Stored | null> {
  const planned = planTransition(deps, intent, input)
  const { marking } = input
  // The relay soon removes the event, so a mark is the better proof.
  const proof = marking === null ? { 'outbox.id': planned.event.id } : { 'marks.id': marking.mark.id }
  return writePlannedTransition(deps, planned, proof, deadlineAt)
}

export async function writePlannedTransition<Stored extends IntentWithoutRefunds>(
  deps: Pick<Deps, 'batchers' | 'metrics'>,
  { transition, filter, update, after }: PlannedTransition<Stored>,
  proof: Record<string, unknown>,
  deadlineAt: number,
): Promise<Stored | null> {
  if (!(await deps.batchers.updateIntent({ filter, update, proof }, deadlineAt))) return null
  if (transition !== null) countTransition(deps, transition, after)
  return after
}

/** If false, the wallet moved money after it had reported a failure. */
export const isMoneyRecorded = async (
  { Intent }: Pick<Deps, 'Intent'>,
  { _id }: Pick<Intent, '_id'>,
  record: Record<string, string>,
): Promise<boolean> => (await Intent.exists({ _id, ...record })) !== null

export const countTransition = (
  { metrics }: Pick<Deps, 'metrics'>,
  name: lifecycle.TransitionName | 'create',
  intent: Pick<Intent, 'sandbox'>,
): void => metrics.transitions.inc({ transition: name, environment: modeOf(intent) })

/** Plans the only write that changes an intent's status. */
export function planTransition<Stored extends IntentWithoutRefunds>(
  deps: Pick<Deps, 'now'>,
  intent: Stored,
  input: TransitionInput,
): PlannedTransition<Stored> & { event: OutboxEvent } {
  const { name, marking, cause, guard, set, lists, eventDetails = {} } = input
  const transition: lifecycle.Transition = lifecycle.transitions[name]
  const now = deps.now()
  const { to: status, cancellationReason = null } = transition
  const cancelsAt = lifecycle.cancelsAtOf(status, intent)
  const at = transition.at?.(intent) ?? now
  const change = { ...set, status, cancelsAt, cancellationReason, updatedAt: at }
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
      ...transition.guard?.(now),
      ...guard,
      ...(marking && unmarkedFilter(marking)),
    },
    update: {
      ...others,
      $set: { ...change, ...$set },
      ...operator('$unset', { ...$unset, ...(lifecycle.freesReference(status) ? { referenceKey: 1 } : {}) }),
      ...operator('$min', {
        ...$min,
        ...(!lifecycle.isPending(status) && { codeReusableAt: codeReusableFrom(at) }),
      }),
      $push: { outbox: event, ...$push, ...(marking && { marks: marking.mark }) },
    },
    event,
    after: { ...intent, ...change },
  }
}

const operator = (name: '$unset' | '$min', fields: Record<string, unknown>): Record<string, object> =>
  Object.keys(fields).length === 0 ? {} : { [name]: fields }
