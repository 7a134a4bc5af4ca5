import { isDeepStrictEqual } from 'node:util'
import type { Caller } from '../businesses/caller.ts'
import type { Deps } from '../deps.ts'
import { refuse } from '../errors.ts'
import { effectOf, type Result, type WriteRequest } from '../idempotency/request.ts'
import { wakeRelay } from '../outbox/wake-relay.ts'
import { findEarlier } from './effect.ts'
import { findIntentToChange } from './find.ts'
import { isPending } from './lifecycle.ts'
import { dropOldMarks, markingOf } from './marks.ts'
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
  const earlier = await findEarlier(deps, caller, before, request)
  if (earlier !== null) return earlier
  const now = deps.now()
  if (!isPending(asOf(before, now).status)) throw refuse('INTENT_CANCEL_INVALID_STATUS')
  await dropOldMarks(deps, before, deadlineAt)
  const marking = markingOf(request, now)
  // The guard keeps the response true: without it, a payment that fails after the read would be missing from it.
  const guard = { failure: before.failure }
  const cancelled = await applyTransition(deps, before, { name: 'cancel', marking, cause, guard }, deadlineAt)
  if (cancelled === null) {
    const { failure } = await findIntentToChange(deps, caller, referenceNumber, request)
    if (!isDeepStrictEqual(failure, before.failure)) return cancelIntent(deps, caller, referenceNumber, request)
    throw refuse('INTENT_CANCEL_CONFLICT')
  }
  wakeRelay(deps, cancelled)
  return effectOf(marking.mark, presentIntent(deps.config, cancelled, now), false)
}
