import { updateEndpointBody } from '../../../schemas/endpoints.ts'
import type { EventName } from '../../../schemas/events.ts'
import type { Caller } from '../../businesses/caller.ts'
import { isEffect, type QuotaDeps, withinAuditLines } from '../../businesses/quotas.ts'
import type { Deps } from '../../deps.ts'
import { once, type Result, type WriteRequest } from '../../idempotency/request.ts'
import { nativeCollection } from '../../mongo/collection.ts'
import { storedUrl } from '../sender/url.ts'
import { auditedChanges } from './audit.ts'
import type { Endpoint } from './endpoint.ts'
import { permitEvents } from './event-permission.ts'
import { findEndpoint } from './find.ts'
import { presentEndpoint } from './present.ts'
import { stopDeliveries } from './stop-deliveries.ts'

export type EndpointChange = Partial<Pick<Endpoint, 'url' | 'events' | 'active'>>

/**
 * Validates the body of an update request. The same rules apply as for a create request, except that every field is
 * optional.
 */
export function parseUpdate(deps: Pick<Deps, 'validate'>, caller: Caller, body: unknown): EndpointChange {
  const { url, events, active } = deps.validate(updateEndpointBody, body)
  const wanted = events && [...new Set(events as EventName[])]
  permitEvents(caller, wanted ?? [], 'events')
  return {
    ...(url === undefined ? {} : { url: storedUrl(url) }),
    ...(wanted === undefined ? {} : { events: wanted }),
    ...(active === undefined ? {} : { active }),
  }
}

type UpdateDeps = Parameters<typeof once>[0] & QuotaDeps & Pick<Deps, 'Endpoint' | 'Delivery' | 'secrets' | 'log'>

/**
 * Changes the given fields. A new URL and a reactivation begin a new period for the report of failures. If the endpoint
 * is disabled, aborts its attempts in flight. Throws the same errors as `findEndpoint`. If the request changes the URL
 * but not the events, and the caller's scopes do not allow all of the endpoint's events, throws EVENTS_NOT_PERMITTED.
 * Otherwise the caller could redirect events that it may not see to another URL.
 */
export async function updateEndpoint(
  deps: UpdateDeps,
  caller: Caller,
  id: string,
  change: EndpointChange,
  request: WriteRequest,
): Promise<Result> {
  if (Object.keys(change).length === 0)
    return { kind: 'none', data: presentEndpoint(await findEndpoint(deps, caller, id)) }
  let addsLine = false
  const changeOnce = () =>
    once(deps, request, { documents: [id] }, async ({ session, at, add }) => {
      const endpoint = await findEndpoint(deps, caller, id, session)
      if (change.url !== undefined && change.events === undefined) permitEvents(caller, endpoint.events, 'events')
      const changed = { ...endpoint, ...change, updatedAt: at }
      const isNewStart = changed.url !== endpoint.url || (changed.active && !endpoint.active)
      const set = { ...change, ...(isNewStart ? { 'health.failingSince': null } : {}), updatedAt: at }
      await nativeCollection(deps.Endpoint).updateOne({ _id: id }, { $set: set }, { session })
      // A request that keeps all values adds no line.
      const changes = auditedChanges(deps, endpoint, changed)
      addsLine = changes !== null
      if (changes !== null)
        await add({ act: 'endpoint.changed', subject: id, businessId: caller.businessId, ...changes })
      return presentEndpoint(changed)
    })
  const result =
    (await request.earlier()) ??
    (await withinAuditLines(deps, caller, changeOnce, (done) => addsLine && isEffect(done)))
  // Also if the request is repeated, because the process of the first one may have died before it got here.
  if (change.active === false) await stopDeliveries(deps, id)
  return result
}
