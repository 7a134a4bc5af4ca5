import { publishAudit } from '../../audit/publish.ts'
import type { Caller } from '../../businesses/caller.ts'
import type { Deps } from '../../deps.ts'
import { type Effect, recorded } from '../../idempotency/effect.ts'
import { endpointLine } from './audit.ts'
import type { Endpoint } from './endpoint.ts'
import { findChanged, notOwn, ownEndpoint } from './find.ts'
import { removeSurplus } from './remove-deleted.ts'
import { stopDeliveries } from './stop-deliveries.ts'

type DeleteDeps = Pick<Deps, 'Endpoint' | 'Delivery' | 'AuditEvent' | 'now' | 'log'>

/**
 * Marks the endpoint as deleted and frees its slot in one guarded write, and then cancels its open deliveries. Returns
 * `{id, deleted: true}`. Throws the same errors as `findEndpoint`, except that a live key may also delete a test
 * endpoint, so that test endpoints cannot take the slots of live ones.
 */
export async function deleteEndpoint(
  deps: DeleteDeps,
  caller: Caller,
  id: string,
  effect: Effect,
): Promise<{ id: string; deleted: true }> {
  const now = deps.now()
  const line = endpointLine(caller, {
    at: now,
    act: 'endpoint.deleted',
    subject: id,
    before: { deletedAt: null },
    after: { deletedAt: now },
  })
  const deleted = await deps.Endpoint.findOneAndUpdate(
    {
      ...ownEndpoint(caller, id),
      ...(caller.sandbox ? {} : { sandbox: { $in: [true, false] } }),
      effects: { $ne: effect.id },
    },
    {
      $set: { deletedAt: now, updatedAt: now },
      $unset: { slot: 1 },
      $push: { unaudited: line, ...recorded(effect.id) },
    },
    { returnDocument: 'after' },
  ).lean<Endpoint | null>()
  if (deleted === null && (await findChanged(deps, caller, id, effect.id)) === null)
    throw await notOwn(deps, caller, id)
  if (deleted !== null) await publishAudit(deps, deps.Endpoint, [deleted])
  await stopDeliveries(deps, id, true)
  await removeSurplus(deps, caller.businessId).catch((err: unknown) =>
    deps.log.warn({ err, businessId: caller.businessId }, 'endpoints.not-removed'),
  )
  return { id, deleted: true }
}
