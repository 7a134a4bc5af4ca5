import type { Deps } from '../deps.ts'
import { recorded } from '../idempotency/effect.ts'
import { environmentOf } from '../metrics/metrics.ts'
import { type Cause, newEvent } from '../outbox/event.ts'
import { codeReusableFrom } from './code.ts'
import { type EventDetails, paymentFacts } from './facts.ts'
import type { Intent } from './intent.ts'
import { isPending, type Transition, type TransitionName, transitions } from './lifecycle.ts'

/** A transition that is to be applied to one intent. */
export interface TransitionInput {
  name: TransitionName
  /**
   * The effect id of the idempotency claim, which lets a retry find the change that the request made. For a payment,
   * this is the payment's id, so that one form makes only one payment. Null if the service itself acts, or if `guard`
   * lets the transition happen only once.
   */
  effectId: string | null
  /** The request that causes the transition, or null if a job or the clock causes it. */
  cause: Cause | null
  /** An additional filter for the write, which identifies the payment or refund that this transition ends. */
  guard?: Record<string, unknown>
  /** The new values of fields other than the status. */
  set?: Partial<Pick<Intent, 'payment' | 'hold' | 'failure'>>
  /** Changes to the intent's lists, as update operators. */
  lists?: {
    $set?: Record<string, unknown>
    $unset?: Record<string, unknown>
    $push?: Record<string, unknown>
  }
  eventDetails?: EventDetails
}

/** A change to an intent, written as one update of one document. */
export interface PlannedChange {
  /** The name of the transition, or null if the status stays the same. */
  transition: TransitionName | null
  filter: { _id: string; [field: string]: unknown }
  update: Record<string, unknown>
  /** The intent after the change, except for its lists, which are those from before the change. */
  after: Intent
}

export interface PlannedTransition extends PlannedChange {
  /**
   * A filter that matches the intent once the transition has been written. It checks for the effect id if there is one.
   * Otherwise, it checks for the event, which stays in the outbox until it is relayed.
   */
  proof: Record<string, unknown>
}

/**
 * Applies a transition for a merchant's request, in a separate write. Returns the intent after the transition, with its
 * current lists but without its outbox. Returns null if the guard does not match.
 */
export async function applyTransition(
  deps: Pick<Deps, 'Intent' | 'metrics' | 'now'>,
  intent: Intent,
  input: TransitionInput,
): Promise<Intent | null> {
  const { filter, update } = planTransition(deps, intent, input)
  const after = await deps.Intent.findOneAndUpdate(filter, update, {
    returnDocument: 'after',
    projection: { outbox: 0 },
  }).lean<Intent | null>()
  if (after !== null) countTransition(deps, input.name, after)
  return after
}

/**
 * Applies a transition in a batch with other transitions. Used where many transitions happen together, for example when
 * the intents of a sale expire or in a bulk cancel. Returns null if the guard does not match. Also returns null for a
 * transition without an effect id if its event was relayed before the batcher checked the proof. In that case, there is
 * nothing left to do.
 */
export async function applyTransitionInBatch(
  deps: Pick<Deps, 'batchers' | 'metrics' | 'now'>,
  intent: Intent,
  input: TransitionInput,
  deadlineAt: number,
): Promise<Intent | null> {
  const { proof, ...change } = planTransition(deps, intent, input)
  return writeInBatch(deps, change, proof, deadlineAt)
}

/**
 * Writes a planned change in a batch with other changes. Returns `change.after`, or null if the filter does not match.
 * `proof` is explained in mongo/batching/update-batcher.ts.
 */
export async function writeInBatch(
  deps: Pick<Deps, 'batchers' | 'metrics'>,
  { transition, filter, update, after }: PlannedChange,
  proof: Record<string, unknown>,
  deadlineAt: number,
): Promise<Intent | null> {
  if (!(await deps.batchers.updateIntent({ filter, update, proof }, deadlineAt))) return null
  if (transition !== null) countTransition(deps, transition, after)
  return after
}

/** Adds a transition that has just been written to the metrics. */
export const countTransition = (
  { metrics }: Pick<Deps, 'metrics'>,
  name: TransitionName | 'create',
  intent: Pick<Intent, 'sandbox'>,
): void => metrics.transitions.inc({ transition: name, environment: environmentOf(intent) })

/**
 * Plans the ONLY write that sets an intent's status: one update of one document, with the guard, the change and the
 * event. `applyTransition` and `applyTransitionInBatch` send it. payments/settle.ts sends it with `writeInBatch`, in
 * order to pass a proof that remains valid after the event has been relayed.
 */
export function planTransition(
  deps: Pick<Deps, 'now'>,
  intent: Intent,
  input: TransitionInput,
): PlannedTransition {
  const { name, effectId, cause, guard, set, lists, eventDetails = {} } = input
  const transition: Transition = transitions[name]
  const now = deps.now()
  const at = transition.at(intent, now)
  const { cancellationReason } = transition
  const cancelsAt = transition.cancelsAt(intent)
  const change = { ...set, status: transition.to, cancelsAt, cancellationReason, updatedAt: at }
  const event = newEvent(transition.event, at, paymentFacts({ ...intent, ...change }, eventDetails), cause)
  const { businessId, sandbox, _id } = intent
  const unlessDone = effectId === null ? {} : { effects: { $ne: effectId } }
  return {
    transition: name,
    filter: {
      businessId,
      sandbox,
      _id,
      status: { $in: transition.from },
      ...transition.guard(now),
      ...guard,
      ...unlessDone,
    },
    update: {
      $set: { ...change, ...lists?.$set },
      ...(lists?.$unset === undefined ? {} : { $unset: lists.$unset }),
      // A code becomes reusable some time after its intent stops being PENDING.
      ...(isPending(transition.to) ? {} : { $min: { codeReusableAt: codeReusableFrom(at) } }),
      $push: { outbox: event, ...lists?.$push, ...(effectId === null ? {} : recorded(effectId)) },
    },
    proof: effectId === null ? { 'outbox.id': event.id } : { effects: effectId },
    after: { ...intent, ...change },
  }
}
