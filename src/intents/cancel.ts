import type { Caller } from '../businesses/caller.ts'
import type { Deps } from '../deps.ts'
import { refuse } from '../errors.ts'
import type { Effect } from '../idempotency/effect.ts'
import { wakeRelay } from '../outbox/wake-relay.ts'
import { findIntent, findIntentToChange } from './find.ts'
import type { Intent } from './intent.ts'
import { isPending } from './lifecycle.ts'
import { asOf } from './present.ts'
import { applyTransition } from './transition.ts'

/**
 * Cancels a PENDING intent (SPEC 4.4). Throws INTENT_CANCEL_INVALID_STATUS if the intent is not PENDING. Throws
 * INTENT_CANCEL_CONFLICT if a payment holds the intent, or if another operation changes the intent before this function
 * writes the cancellation. If an earlier attempt at the same request has already cancelled the intent, a retry returns
 * the intent without changing it.
 */
export async function cancelIntent(
  deps: Deps,
  caller: Caller,
  referenceNumber: string,
  effect: Effect,
): Promise<Intent> {
  const before = await findIntentToChange(deps, caller, referenceNumber, effect.deadlineAt)
  if (before.effects.includes(effect.id)) return ownEarlierCancel(deps, caller, referenceNumber, effect)
  if (!isPending(asOf(before, deps.now()).status)) throw refuse('INTENT_CANCEL_INVALID_STATUS')
  const by = { effectId: effect.id, cause: effect.cause }
  const cancelled = await applyTransition(deps, before, { name: 'cancel', ...by })
  if (cancelled === null) return ownEarlierCancel(deps, caller, referenceNumber, effect)
  wakeRelay(deps, cancelled)
  return cancelled
}

/** Returns the intent if this request has already cancelled it. Otherwise, throws INTENT_CANCEL_CONFLICT. */
async function ownEarlierCancel(deps: Deps, caller: Caller, referenceNumber: string, effect: Effect): Promise<Intent> {
  const after = await findIntent(deps, caller, referenceNumber, effect.deadlineAt)
  if (!after.effects.includes(effect.id)) throw refuse('INTENT_CANCEL_CONFLICT')
  return after
}
