import type { EventName } from '../../../schemas/events.ts'
import { type UpdateEndpointBody, updateEndpointBody } from '../../../schemas/update-endpoint.ts'
import type { Caller } from '../../businesses/caller.ts'
import type { Deps } from '../../deps.ts'
import { type Effect, recorded } from '../../idempotency/effect.ts'
import { storedUrl } from '../sender/url.ts'
import type { Endpoint } from './endpoint.ts'
import { allForbiddenEvents, forbiddenEvents, notPermitted, permitEvents } from './event-permission.ts'
import { findChanged, findEndpoint, ownEndpoint } from './find.ts'
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

/**
 * Changes the given fields in one guarded write. If the endpoint is disabled after the change, aborts its attempts in
 * flight. Throws ENDPOINT_NOT_FOUND if the caller has no such endpoint. If the request changes the URL but not the
 * events, and the caller's scopes do not allow all of the endpoint's events, throws EVENTS_NOT_PERMITTED. Otherwise the
 * caller could redirect events that it may not see to another URL.
 */
export async function updateEndpoint(
  deps: Pick<Deps, 'Endpoint' | 'Delivery' | 'now' | 'log'>,
  caller: Caller,
  id: string,
  change: EndpointChange,
  effect: Effect,
): Promise<Endpoint> {
  if (Object.keys(change).length === 0) return findEndpoint(deps, caller, id)
  const redirectsEvents = change.url !== undefined && change.events === undefined
  const hidden = redirectsEvents ? allForbiddenEvents(caller) : []
  const changed = await deps.Endpoint.findOneAndUpdate(
    { ...ownEndpoint(caller, id), events: { $nin: hidden }, effects: { $ne: effect.id } },
    { $set: { ...change, updatedAt: deps.now() }, $push: recorded(effect.id) },
    { returnDocument: 'after' },
  ).lean<Endpoint | null>()
  const found =
    changed ?? (await findChanged(deps, caller, id, effect.id)) ?? (await throwReason(deps, caller, id))
  if (!found.active) await stopDeliveries(deps, id, false)
  return found
}

/** Throws the error that explains why the guarded write did not match the endpoint. */
async function throwReason(deps: Pick<Deps, 'Endpoint'>, caller: Caller, id: string): Promise<never> {
  const { events } = await findEndpoint(deps, caller, id)
  throw notPermitted(forbiddenEvents(caller, events), 'events')
}
