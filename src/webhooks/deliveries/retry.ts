import type { Caller } from '../../businesses/caller.ts'
import type { Deps } from '../../deps.ts'
import { refuse } from '../../errors.ts'
import type { Effect } from '../../idempotency/effect.ts'
import { findDeliveryRecord } from './find.ts'
import type { DeliveryRecord } from './present.ts'
import { type Requeued, requeueDeliveries } from './requeue.ts'

/** Why a retry sends nothing; null when it does. */
const reasons = {
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
 * One more attempt of the caller's own delivery, now, or the reason why there is none to make. A retry of the same request
 * finds its own re-queue by the effect id. Throws as `findDeliveryRecord` does.
 */
export async function retryDelivery(
  deps: Deps,
  caller: Caller,
  id: string,
  effect: Effect,
): Promise<Retried> {
  await findDeliveryRecord(deps, caller, id)
  const actor = { kind: 'merchant', name: caller.keyId, ip: caller.ip } as const
  const outcomes = await requeueDeliveries(deps, [id], { actor, actId: effect.id })
  const outcome = outcomes.get(id) ?? 'not-found'
  if (outcome === 'not-found') throw refuse('DELIVERY_NOT_FOUND')
  const reason = reasons[outcome]
  return { delivery: await findDeliveryRecord(deps, caller, id), retried: reason === null, reason }
}
