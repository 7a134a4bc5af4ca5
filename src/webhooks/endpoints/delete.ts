import type { Caller } from '../../businesses/caller.ts'
import { pastMongoose } from '../../collection.ts'
import type { Deps } from '../../deps.ts'
import { type Effect, recorded } from '../../idempotency/effect.ts'
import { openStatuses } from '../deliveries/delivery.ts'
import { free } from '../deliveries/lease.ts'
import type { Endpoint } from './endpoint.ts'
import { findChanged, noSuchEndpoint, ownEndpoint } from './find.ts'
import { removeSurplus } from './remove-deleted.ts'

type DeleteDeps = Pick<Deps, 'Endpoint' | 'Delivery' | 'now' | 'log'>

/**
 * Marks the endpoint as deleted and frees its slot in one guarded write, then stops its open deliveries. Returns `{id, deleted: true}`.
 * Throws ENDPOINT_NOT_FOUND.
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
  await stopDeliveries(deps, id).catch((err: unknown) =>
    deps.log.warn({ err, endpointId: id }, 'deliveries.not-stopped'),
  )
  await removeSurplus(deps, caller.businessId).catch((err: unknown) =>
    deps.log.warn({ err, businessId: caller.businessId }, 'endpoints.not-removed'),
  )
  return { id, deleted: true }
}

/** Few enough for one write, even if each delivery has 100 KB of metadata. */
const mostInBatch = 200
const stopsForMs = 1000
const maxTimeMS = 2000

/**
 * Cancels the open deliveries of the endpoint, for a second at most. Attempts in progress end normally. The worker cancels the remaining
 * deliveries when they come due: those that a second did not cover, those left by a process that died, and those that the relay is just
 * creating.
 */
async function stopDeliveries(deps: DeleteDeps, endpointId: string): Promise<void> {
  const deliveries = pastMongoose(deps.Delivery)
  const endsAt = performance.now() + stopsForMs
  for (;;) {
    const open = {
      nextAttemptAt: { $type: 'date' as const },
      status: { $in: openStatuses },
      ...free(deps.now()),
    }
    const found = await deliveries
      .find(
        { endpointId, ...open },
        { hint: 'openByEndpoint', projection: { _id: 1 }, limit: mostInBatch, maxTimeMS },
      )
      .toArray()
    const stopped = { status: 'CANCELLED', nextAttemptAt: null, lease: null } as const
    const ids = found.map(({ _id }) => _id)
    if (ids.length > 0)
      await deliveries.updateMany({ _id: { $in: ids }, ...open }, { $set: stopped }, { maxTimeMS })
    if (ids.length < mostInBatch || performance.now() > endsAt) return
  }
}
