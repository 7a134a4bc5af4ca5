import type { Caller } from '../businesses/caller.ts'
import { effectResult, type OperationResult, type WriteRequest } from '../idempotency/request.ts'
import type { Deps } from '../platform/deps.ts'
import { refuse } from '../platform/errors.ts'
import type { IntentChangeDeps } from './find.ts'
import type { Intent, IntentMark, IntentWithoutRefunds } from './intent.ts'
import { transitions } from './lifecycle.ts'
import { presentIntent } from './present.ts'
import { awaitEarlierRefund } from './refunds/carry-out.ts'
import { findMark } from './transition.ts'

export async function findEffectByKey(
  deps: IntentChangeDeps,
  caller: Caller,
  referenceNumber: string,
  request: WriteRequest,
): Promise<OperationResult | null> {
  const intent = await deps.batchers.findIntent(referenceNumber, request.deadlineAt)
  if (intent === null || intent.businessId !== caller.businessId || intent.sandbox !== caller.sandbox)
    return null
  const mark = findMark(intent, request)
  if (mark === null) return null
  const data =
    mark.refundId === undefined
      ? toSimulationResult(deps, intent, mark)
      : awaitEarlierRefund(deps, caller, intent, mark.refundId, request.cause)
  return effectResult(mark, data, true)
}

/** Falls back to the stored response, which may be a refusal. */
export const findEarlierResult = async (
  deps: IntentChangeDeps,
  caller: Caller,
  intent: IntentWithoutRefunds,
  request: WriteRequest,
): Promise<OperationResult | null> =>
  findMark(intent, request) === null
    ? request.earlier()
    : findEffectByKey(deps, caller, intent.referenceNumber, request)

export function toSimulationResult(
  deps: Pick<Deps, 'config' | 'now'>,
  intent: Intent,
  { payment }: IntentMark,
): unknown {
  const failure = payment?.failure ?? null
  if (failure === null) return presentIntent(deps.config, intent, deps.now())
  const { code, retryable } = failure
  const status = retryable ? transitions.decline.to : transitions.fail.to
  return refuse('PAYMENT_FAILED', { details: { status, retryable, code } })
}
