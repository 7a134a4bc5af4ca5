import type { Caller } from '../../businesses/caller.ts'
import { countAuditLine } from '../../businesses/quotas.ts'
import type { Deps } from '../../deps.ts'
import { once, type Result, type WriteRequest } from '../../idempotency/request.ts'
import { nativeCollection } from '../../mongo/collection.ts'
import { findEndpoint, findInBusiness } from './find.ts'
import { removeSurplus } from './remove-deleted.ts'
import { stopDeliveries } from './stop-deliveries.ts'

type DeleteDeps = Parameters<typeof once>[0] & Pick<Deps, 'Endpoint' | 'Delivery' | 'counters' | 'config' | 'log'>

/**
 * Marks the endpoint as deleted, which frees its slot, and then cancels its open deliveries. Returns `{id, deleted:
 * true}`. Throws the same errors as `findEndpoint`, except that a live key may also delete a test endpoint, so that
 * test endpoints cannot take the slots of live ones.
 */
export async function deleteEndpoint(
  deps: DeleteDeps,
  caller: Caller,
  id: string,
  request: WriteRequest,
): Promise<Result> {
  const remove = () =>
    once(deps, request, { documents: [id] }, async ({ session, at, add }) => {
      const find = caller.sandbox ? findEndpoint : findInBusiness
      await find(deps, caller, id, session)
      const set = { deletedAt: at, updatedAt: at }
      await nativeCollection(deps.Endpoint).updateOne({ _id: id }, { $set: set, $unset: { slot: 1 } }, { session })
      const fields = { before: { deletedAt: null }, after: { deletedAt: at } }
      await add({ act: 'endpoint.deleted', subject: id, businessId: caller.businessId, ...fields })
      return { id, deleted: true }
    })
  const earlier = await request.earlier()
  const result = earlier ?? (await remove())
  if (earlier === null) countAuditLine(deps, caller)
  // Also if the request is repeated, because the process of the first one may have died before it got here.
  await stopDeliveries(deps, id)
  await removeSurplus(deps, caller.businessId).catch((err: unknown) =>
    deps.log.warn({ err, businessId: caller.businessId }, 'endpoints.not-removed'),
  )
  return result
}
