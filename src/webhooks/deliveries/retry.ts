import type { Caller } from '../../businesses/caller.ts'
import { withinAuditLines } from '../../businesses/quotas.ts'
import type { Deps } from '../../deps.ts'
import { refuse } from '../../errors.ts'
import { effectOf, type Result, type WriteRequest } from '../../idempotency/request.ts'
import { findDeliveryRecord } from './find.ts'
import { atLiveEndpoints, presentDelivery } from './present.ts'
import { continuePlan, requeueAs } from './requeue.ts'
import type { Requeued, RequeuePlan } from './requeue-plan.ts'

/** The `reason` that the API response contains for each outcome. It is null if an attempt has been requested. */
export const reasons = {
  requeued: null,
  delivered: 'delivered',
  'under-way': 'under_way',
  'endpoint-gone': 'endpoint_gone',
} as const satisfies Record<Exclude<Requeued, 'not-found'>, string | null>

/**
 * Requests one more attempt at one of the caller's deliveries, or returns the reason why no attempt was requested.
 * Throws the same errors as `findDeliveryRecord`, SANDBOX_MISMATCH for a test event at a live endpoint, and
 * RATE_LIMITED if the daily quota for audit lines is used up.
 */
export async function retryDelivery(deps: Deps, caller: Caller, id: string, request: WriteRequest): Promise<Result> {
  const found = await findDeliveryRecord(deps, caller, id)
  if ((await atLiveEndpoints(deps, caller, [found])).has(found)) throw refuse('SANDBOX_MISMATCH')
  const act = { by: request.by, request }
  const retry = () => requeueAs(deps, [id], act)
  const { plan } = await withinAuditLines(deps, caller, retry, (done) => done.plan?.deliveries.length === 1)
  if (!plan?.requestKey) throw refuse('DELIVERY_NOT_FOUND')
  return effectOf(plan.requestKey, await presentRetried(deps, caller, id, plan), false)
}

async function presentRetried(deps: Deps, caller: Caller, id: string, { outcome }: RequeuePlan) {
  const reason = reasons[outcome ?? 'requeued']
  const delivery = await findDeliveryRecord(deps, caller, id)
  return { ...presentDelivery(delivery), retried: reason === null, reason }
}

/** Returns what an earlier request with the same key has done: a retry of one delivery, or by filter. */
export async function findRetried(
  deps: Deps,
  caller: Caller,
  id: string,
  request: WriteRequest,
): Promise<Result | null> {
  const plan = await continuePlan(deps, request)
  if (!plan?.requestKey) return null
  return effectOf(plan.requestKey, plan.result ?? (await presentRetried(deps, caller, id, plan)), true)
}
