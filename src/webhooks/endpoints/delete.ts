import type { Caller } from '../../businesses/caller.ts'
import type { Deps } from '../../deps.ts'
import { type Effect, recorded } from '../../idempotency/effect.ts'
import { openStatuses } from '../deliveries/delivery.ts'
import { free } from '../deliveries/lease.ts'
import type { Endpoint } from './endpoint.ts'
import { findChanged, noSuchEndpoint, ownEndpoint } from './find.ts'

type DeleteDeps = Pick<Deps, 'Endpoint' | 'Delivery' | 'now' | 'log'>

/**
 * Marks the endpoint as deleted and frees its place in one guarded write, then stops its open deliveries. Answers
 * `{id, deleted: true}`. ENDPOINT_NOT_FOUND.
 */
export async function deleteEndpoint(
  deps: DeleteDeps,
  caller: Caller,
  id: string,
  effect: Effect,
): Promise<{ id: string; deleted: true }> {
  const now = deps.now()
  const deleted = await deps.Endpoint.findOneAndUpdate(
    { ...ownEndpoint(caller, id), effects: { $ne: effect.id } },
    { $set: { deletedAt: now, updatedAt: now }, $unset: { slot: 1 }, $push: recorded(effect.id) },
    { returnDocument: 'after' },
  ).lean<Endpoint | null>()
  if (deleted === null && (await findChanged(deps, caller, id, effect.id)) === null) throw noSuchEndpoint()
  await stopDeliveries(deps, id)
  return { id, deleted: true }
}

/**
 * What is being attempted ends as it does. What is not reached here, because the process dies or MongoDB takes too long over
 * very many, is stopped by the worker when it comes due: so a fault of this does not fail the deletion.
 */
async function stopDeliveries(deps: DeleteDeps, endpointId: string): Promise<void> {
  // Among all that is open, of whoever: an endpoint may have millions of deliveries that have ended.
  await deps.Delivery.updateMany(
    {
      endpointId,
      nextAttemptAt: { $type: 'date' },
      status: { $in: openStatuses },
      ...free(deps.now()),
    },
    { $set: { status: 'CANCELLED', nextAttemptAt: null, lease: null } },
    { hint: 'open', maxTimeMS: 4000 },
  ).catch((err: unknown) => deps.log.warn({ err, endpointId }, 'deliveries.not-stopped'))
}
