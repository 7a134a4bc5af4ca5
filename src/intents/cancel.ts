import type { Caller } from '../businesses/caller.ts'
import type { Deps } from '../deps.ts'
import { refuse } from '../errors.ts'
import { effectOf, type Result, type WriteRequest } from '../idempotency/request.ts'
import { wakeRelay } from '../outbox/wake-relay.ts'
import { findIntentToChange, findMarked } from './find.ts'
import { isPending } from './lifecycle.ts'
import { dropOldMarks, markingOf, ownMark } from './marks.ts'
import { asOf, presentIntent } from './present.ts'
import { applyTransition } from './transition.ts'

/**
 * Cancels a PENDING intent (SPEC 4.4). Throws INTENT_CANCEL_INVALID_STATUS if the intent is not PENDING, and
 * INTENT_CANCEL_CONFLICT if a payment holds it, or if another operation was faster.
 */
export async function cancelIntent(
  deps: Deps,
  caller: Caller,
  referenceNumber: string,
  request: WriteRequest,
): Promise<Result> {
  const { deadlineAt, cause } = request
  const before = await findIntentToChange(deps, caller, referenceNumber, request)
  const earlier = await request.earlier()
  if (earlier !== null) return earlier
  const now = deps.now()
  const mark = ownMark(before, request)
  if (mark !== null) return effectOf(mark, presentIntent(deps.config, before, now), true)
  if (!isPending(asOf(before, now).status)) throw refuse('INTENT_CANCEL_INVALID_STATUS')
  await dropOldMarks(deps, before, deadlineAt)
  const marking = markingOf(request, now)
  const cancelled = await applyTransition(deps, before, { name: 'cancel', marking, cause }, deadlineAt)
  if (cancelled === null) throw refuse('INTENT_CANCEL_CONFLICT')
  wakeRelay(deps, cancelled)
  return effectOf(marking.mark, presentIntent(deps.config, cancelled, now), false)
}

/** Returns the intent if an earlier request with the same key has cancelled it. */
export async function findCancelled(
  deps: Deps,
  caller: Caller,
  referenceNumber: string,
  request: WriteRequest,
): Promise<Result | null> {
  const found = await findMarked(deps, caller, referenceNumber, request)
  return found && effectOf(found.mark, presentIntent(deps.config, found.intent, deps.now()), true)
}
