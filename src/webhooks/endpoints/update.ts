import type { EventName } from '../../../schemas/events.ts'
import { type UpdateEndpointBody, updateEndpointBody } from '../../../schemas/update-endpoint.ts'
import { publishAudit } from '../../audit/publish.ts'
import type { Caller } from '../../businesses/caller.ts'
import type { Deps } from '../../deps.ts'
import { type Effect, recorded } from '../../idempotency/effect.ts'
import { storedUrl } from '../sender/url.ts'
import { auditedChanges, endpointLine } from './audit.ts'
import type { Endpoint } from './endpoint.ts'
import { forbiddenEvents, notPermitted, permitEvents } from './event-permission.ts'
import { findEndpoint, notOwn, ownEndpoint } from './find.ts'
import { stopDeliveries } from './stop-deliveries.ts'

export type EndpointChange = Partial<Pick<Endpoint, 'url' | 'events' | 'active'>>

/**
 * Validates the body of an update request. The same rules apply as for a create request, except that every field is
 * optional.
 */
export function parseUpdate(deps: Pick<Deps, 'validate'>, caller: Caller, body: unknown): EndpointChange {
  const { url, events, active } = deps.validate<UpdateEndpointBody>(updateEndpointBody, body)
  const wanted = events && [...new Set(events as EventName[])]
  permitEvents(caller, wanted ?? [], 'events')
  return {
    ...(url === undefined ? {} : { url: storedUrl(url) }),
    ...(wanted === undefined ? {} : { events: wanted }),
    ...(active === undefined ? {} : { active }),
  }
}

type UpdateDeps = Pick<Deps, 'Endpoint' | 'Delivery' | 'AuditEvent' | 'secrets' | 'now' | 'log'>

/**
 * Changes the given fields in one guarded write, which also adds the audit line. A new URL and a reactivation begin a
 * new period for the report of failures. If the endpoint is disabled after the change, aborts its attempts in flight.
 * Throws the same errors as `findEndpoint`. If the request changes the URL but not the events, and the caller's scopes
 * do not allow all of the endpoint's events, throws EVENTS_NOT_PERMITTED. Otherwise the caller could redirect events
 * that it may not see to another URL.
 */
export async function updateEndpoint(
  deps: UpdateDeps,
  caller: Caller,
  id: string,
  change: EndpointChange,
  effect: Effect,
): Promise<Endpoint> {
  if (Object.keys(change).length === 0) return findEndpoint(deps, caller, id)
  const found = await writeChange(deps, caller, id, change, effect)
  if (!found.active) await stopDeliveries(deps, id, false)
  return found
}

/**
 * Changes the endpoint unless an earlier attempt at the same request has already changed it. The filter contains the
 * values that were read, so `before` in the audit line is always correct. A request that keeps all values adds no line.
 */
async function writeChange(
  deps: UpdateDeps,
  caller: Caller,
  id: string,
  change: EndpointChange,
  effect: Effect,
): Promise<Endpoint> {
  const { businessId, sandbox } = caller
  const standing = await deps.Endpoint.findOne({ _id: id, businessId, sandbox }).lean<Endpoint | null>()
  if (standing?.effects.includes(effect.id)) return standing
  if (standing === null || standing.deletedAt !== null) throw await notOwn(deps, caller, id)
  const { url, events, active } = standing
  if (change.url !== undefined && change.events === undefined) {
    const hidden = forbiddenEvents(caller, events)
    if (hidden.length > 0) throw notPermitted(hidden, 'events')
  }
  const isNewUrl = change.url !== undefined && change.url !== url
  const isNewStart = isNewUrl || (change.active === true && !active)
  const at = deps.now()
  const changes = auditedChanges(deps, { url, events, active }, change)
  const line = changes && endpointLine(caller, { at, act: 'endpoint.changed', subject: id, ...changes })
  const changed = await deps.Endpoint.findOneAndUpdate(
    { ...ownEndpoint(caller, id), url, events, active, effects: { $ne: effect.id } },
    {
      $set: { ...change, ...(isNewStart ? { 'health.failingSince': null } : {}), updatedAt: at },
      $push: { ...recorded(effect.id), ...(line === null ? {} : { unaudited: line }) },
    },
    { returnDocument: 'after' },
  ).lean<Endpoint | null>()
  // Another request has changed the endpoint in the meantime, so this function starts again.
  if (changed === null) return writeChange(deps, caller, id, change, effect)
  await publishAudit(deps, deps.Endpoint, [changed])
  return changed
}
