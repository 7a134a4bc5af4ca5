import { byCaller, type Caller } from '../../businesses/caller.ts'
import type { Deps } from '../../deps.ts'
import { refuse } from '../../errors.ts'
import type { Effect } from '../../idempotency/effect.ts'
import { findDeliveryRecord } from './find.ts'
import { atLiveEndpoints, type DeliveryRecord } from './present.ts'
import { type Requeued, requeueDeliveries } from './requeue.ts'

/** The `reason` that the API response contains for each outcome. It is null if an attempt has been requested. */
export const reasons = {
  requeued: null,
  delivered: 'delivered',
  'under-way': 'under_way',
  'endpoint-gone': 'endpoint_gone',
} as const satisfies Record<Exclude<Requeued, 'not-found'>, string | null>

export interface Retried {
  delivery: DeliveryRecord
  retried: boolean
  reason: (typeof reasons)[keyof typeof reasons]
}

/**
 * Requests one more attempt at one of the caller's deliveries, or returns the reason why no attempt was requested. A
 * retry of the same request uses the effect id to find the re-queue that has already been performed. Throws the same
 * errors as `findDeliveryRecord`, and SANDBOX_MISMATCH for a test event at a live endpoint.
 */
export async function retryDelivery(deps: Deps, caller: Caller, id: string, effect: Effect): Promise<Retried> {
  const found = await findDeliveryRecord(deps, caller, id)
  if ((await atLiveEndpoints(deps, caller, [found])).has(found)) throw refuse('SANDBOX_MISMATCH')
  const outcomes = await requeueDeliveries(deps, [id], { ...byCaller(caller), actId: effect.id })
  const outcome = outcomes.get(id) ?? 'not-found'
  if (outcome === 'not-found') throw refuse('DELIVERY_NOT_FOUND')
  const reason = reasons[outcome]
  return { delivery: await findDeliveryRecord(deps, caller, id), retried: reason === null, reason }
}
