import type { Caller } from '../businesses/caller.ts'
import type { Deps } from '../deps.ts'
import { refuse } from '../errors.ts'
import type { Effect } from '../idempotency/effect.ts'
import { wakeRelay } from '../outbox/wake-relay.ts'
import { findIntent, findIntentToChange } from './find.ts'
import type { Intent } from './intent.ts'
import { isPending } from './lifecycle.ts'
import { asOf } from './present.ts'
import { transition } from './transition.ts'

/**
 * PENDING → CANCELLED, once (SPEC 4.4). Read as not PENDING: INTENT_CANCEL_INVALID_STATUS; read as PENDING but
 * changed by somebody else before the write: INTENT_CANCEL_CONFLICT. A retry finds its own change and answers from it.
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
  const cancelled = await transition(deps, before, { move: 'cancel', ...by })
  if (cancelled === null) return ownEarlierCancel(deps, caller, referenceNumber, effect)
  wakeRelay(deps, cancelled)
  return cancelled
}

async function ownEarlierCancel(
  deps: Deps,
  caller: Caller,
  referenceNumber: string,
  effect: Effect,
): Promise<Intent> {
  const after = await findIntent(deps, caller, referenceNumber, effect.deadlineAt)
  if (!after.effects.includes(effect.id)) throw refuse('INTENT_CANCEL_CONFLICT')
  return after
}
