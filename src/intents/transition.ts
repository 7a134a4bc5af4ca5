import type { Deps } from '../deps.ts'
import { recorded } from '../idempotency/effect.ts'
import { environmentOf } from '../metrics/metrics.ts'
import { type Cause, newEvent } from '../outbox/event.ts'
import { codeReusableFrom } from './code.ts'
import { paymentFacts, type Told } from './facts.ts'
import type { Intent } from './intent.ts'
import { isPending, type Move, type MoveName, moves } from './lifecycle.ts'

/** One move as somebody asks for it. */
export interface Step {
  move: MoveName
  /**
   * The idempotency claim's, so that a retry of the same request finds its own change, or the payment's, so that its form is known; null
   * for the service's own acts, and for what its own guard lets happen once.
   */
  effectId: string | null
  /** The request that moves it; null: the clock or a job. */
  cause: Cause | null
  /** What else must hold, as a filter: the payment or the refund that this ends. */
  guard?: Record<string, unknown>
  /** What the intent is afterwards, beside its status. */
  set?: Partial<Pick<Intent, 'payment' | 'hold' | 'failure'>>
  /** Changes inside its lists, as update operators. */
  lists?: {
    $set?: Record<string, unknown>
    $unset?: Record<string, unknown>
    $push?: Record<string, unknown>
  }
  /** What the event tells beyond the intent. */
  told?: Told
}

/** A change of an intent as one update of one document, and the intent as it leaves it, but for its lists. `move`: null of one that moves nothing. */
export interface PlannedChange {
  move: MoveName | null
  filter: { _id: string; [field: string]: unknown }
  update: Record<string, unknown>
  after: Intent
}

/**
 * `proof`: a filter that matches the intent after the transition. Uses the effect id if there is one, otherwise the event, which stays until
 * it is relayed.
 */
export interface PlannedMove extends PlannedChange {
  proof: Record<string, unknown>
}

/**
 * Moves an intent, in one write of its own (planMove). Answers the intent after the move, or null when the guard refused. For what a merchant
 * asks for: each comes alone, and is answered with the lists of the intent as they are then, but for its outbox.
 */
export async function transition(
  deps: Pick<Deps, 'Intent' | 'metrics' | 'now'>,
  intent: Intent,
  step: Step,
): Promise<Intent | null> {
  const { filter, update } = planMove(deps, intent, step)
  const after = await deps.Intent.findOneAndUpdate(filter, update, {
    returnDocument: 'after',
    projection: { outbox: 0 },
  }).lean<Intent | null>()
  if (after !== null) countMove(deps, step.move, after)
  return after
}

/**
 * The same in a batch with other transitions, for transitions that come in large numbers: the expiries of a sale, and a bulk cancel. Also
 * returns null for a transition without an effect id whose event was relayed before the check. Then nothing is left to do.
 */
export async function transitionTogether(
  deps: Pick<Deps, 'batchers' | 'metrics' | 'now'>,
  intent: Intent,
  step: Step,
  deadlineAt: number,
): Promise<Intent | null> {
  const { proof, ...change } = planMove(deps, intent, step)
  return changeTogether(deps, change, proof, deadlineAt)
}

/** Sends a change that is planned in a trip that is shared. Of the intent that it answers the lists are those of before. `proof`: see mongo/batching/update-batcher.ts. */
export async function changeTogether(
  deps: Pick<Deps, 'batchers' | 'metrics'>,
  { move, filter, update, after }: PlannedChange,
  proof: Record<string, unknown>,
  deadlineAt: number,
): Promise<Intent | null> {
  if (!(await deps.batchers.updateIntent({ filter, update, proof }, deadlineAt))) return null
  if (move !== null) countMove(deps, move, after)
  return after
}

/** Counts a move that is written. */
export const countMove = (
  { metrics }: Pick<Deps, 'metrics'>,
  move: MoveName | 'create',
  intent: Pick<Intent, 'sandbox'>,
): void => metrics.transitions.inc({ move, environment: environmentOf(intent) })

/**
 * THE write: guard, change and event together, as one update of one document. Nothing else sets a status. Sent by `transition` or by
 * `transitionTogether`; by `changeTogether` where the payment under way has a proof that outlives the event (payments/settle.ts).
 */
export function planMove(deps: Pick<Deps, 'now'>, intent: Intent, step: Step): PlannedMove {
  const { effectId, cause, guard, set, lists, told } = step
  const move: Move = moves[step.move]
  const now = deps.now()
  const at = move.at(intent, now)
  const { cancellationReason } = move
  const cancelsAt = move.cancelsAt(intent)
  const change = { ...set, status: move.to, cancelsAt, cancellationReason, updatedAt: at }
  const event = newEvent(move.event, at, paymentFacts({ ...intent, ...change }, told ?? {}), cause)
  const { businessId, sandbox, _id } = intent
  const unlessDone = effectId === null ? {} : { effects: { $ne: effectId } }
  return {
    move: step.move,
    filter: {
      businessId,
      sandbox,
      _id,
      status: { $in: move.from },
      ...move.guard(now),
      ...guard,
      ...unlessDone,
    },
    update: {
      $set: { ...change, ...lists?.$set },
      ...(lists?.$unset === undefined ? {} : { $unset: lists.$unset }),
      // Its code rests from the end of PENDING on.
      ...(isPending(move.to) ? {} : { $min: { codeReusableAt: codeReusableFrom(at) } }),
      $push: { outbox: event, ...lists?.$push, ...(effectId === null ? {} : recorded(effectId)) },
    },
    proof: effectId === null ? { 'outbox.id': event.id } : { effects: effectId },
    after: { ...intent, ...change },
  }
}
