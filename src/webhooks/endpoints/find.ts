import type { mongo } from 'mongoose'
import { type EventName, eventScopes as scopeOf } from '../../../schemas/events.ts'
import { type Caller, requireOwned } from '../../businesses/caller.ts'
import { rawCollection } from '../../mongo/collection.ts'
import type { Deps } from '../../platform/deps.ts'
import { refuse } from '../../platform/errors.ts'
import { type Endpoint, undeletedFilter } from './endpoint.ts'
import { lastDayStats } from './endpoint-facts.ts'

type Reads = Pick<Deps, 'Endpoint'>

/** Throws ENDPOINT_NOT_FOUND and SANDBOX_MISMATCH. */
export async function findEndpoint(deps: Reads, caller: Caller, id: string, session?: mongo.ClientSession) {
  return requireOwned(caller, await findOwnEndpoint(deps, caller, id, session), 'ENDPOINT_NOT_FOUND')
}

/** Finds endpoints in both environments. */
export async function findOwnEndpoint(
  deps: Reads,
  { businessId }: Caller,
  id: string,
  session?: mongo.ClientSession,
) {
  const own = { _id: id, businessId, deletedAt: null }
  const endpoint = await rawCollection(deps.Endpoint).findOne(own, { ...(session && { session }) })
  if (endpoint === null)
    throw refuse('ENDPOINT_NOT_FOUND', { message: 'There is no webhook endpoint with this id.' })
  return endpoint
}

/** Those whose last attempt failed. The index finds at most five endpoints. */
export const findFailingEndpoints = (
  { Endpoint }: Reads,
  { businessId, sandbox }: Pick<Caller, 'businessId' | 'sandbox'>,
): Promise<Pick<Endpoint, '_id' | 'url'>[]> =>
  rawCollection(Endpoint)
    .find(
      { businessId, sandbox, active: true, 'health.failuresInRow': { $gt: 0 }, ...undeletedFilter },
      { projection: { url: 1 }, hint: 'slotInUse' },
    )
    .toArray()

/** Throws EVENTS_NOT_PERMITTED with the forbidden events. */
export function checkEventScopes(caller: Caller, requested: readonly EventName[], param: 'event' | 'events') {
  const forbidden = requested.filter((event) => !caller.scopes.has(scopeOf[event]))
  if (forbidden.length > 0) throw refuse('EVENTS_NOT_PERMITTED', { param, details: { events: forbidden } })
}

export function presentEndpoint(endpoint: Endpoint) {
  const { _id: id, url, events, active, headers, sandbox, createdAt, health } = endpoint
  const { lastSuccessAt, lastFailureAt, failuresInRow, lastError } = health
  const shownHealth = { lastSuccessAt, lastFailureAt, failuresInRow, lastError }
  const headerNames = headers?.names ?? []
  return { id, url, events, active, headerNames, sandbox, createdAt, health: shownHealth }
}

export const presentListedEndpoint = (endpoint: Endpoint, now: Date) => ({
  ...presentEndpoint(endpoint),
  last24Hours: lastDayStats(endpoint, now),
})
